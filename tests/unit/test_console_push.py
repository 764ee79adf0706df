"""push, pkt, shutdown, global_cfg."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from console_server import ConsoleServer, Driver
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from wirespeed.console.packet_text import read_packet
from wirespeed.errors import UsageError

A, B = "02:00:00:00:00:0a", "02:00:00:00:00:0b"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A request, two answers, thanks; a millisecond apart."""
    packets = [Ether(src=src, dst=B if src == A else A) / IP() / UDP() / b"x" for src in (A, B, B, A)]
    for number, packet in enumerate(packets):
        packet.time = 1_000 + number / 1000
    wrpcap(str(tmp_path / "talk.pcap"), packets)
    return tmp_path / "talk.pcap"


def streams(console: Driver, port: int) -> list[dict[str, object]]:
    return list(console.session.client.all_streams(port).get("_", {}).values())


def test_a_file_is_pushed(console: Driver, file: Path) -> None:
    out = console(f"push -f {file} -p 0 -s 2 -c 3 --src-mac-pcap")
    assert f"Converting '{file}' to streams:" in out and f"Pushing '{file}' on port(s) [0._]:" in out
    sent = streams(console, 0)
    assert [stream["isg"] for stream in sent] == pytest.approx([0, 500, 500, 500], abs=1)
    assert (sent[3]["next_stream_id"], sent[3]["action_count"], sent[0]["flags"]) == (1, 3, 1)
    assert streams(console, 1) == []


def test_both_sides_of_a_file(server: ConsoleServer, console: Driver, file: Path) -> None:
    console(f"push -f {file} -p 0 --dual -i 10 --dst-mac-pcap")
    first, second = streams(console, 0), streams(console, 1)
    assert [stream["isg"] for stream in first] == pytest.approx([20, 30])  # both sides wait for one gap first
    assert [stream["isg"] for stream in second if stream["flags"] != 8 | 2] == pytest.approx([30, 10])
    assert len(second) == 3  # one stream waits for the end of the other side
    started = [call for call in server.core.calls if call[0] == "start"]
    assert len(started) == 2


def test_a_file_of_the_server(console: Driver, file: Path) -> None:
    assert "Pushing remote PCAP on port(s) [0]:" in console(f"push -f {file} -p 0 -r -c 2 --min-ipg 5")
    assert [one["state"] for one in console.session.statuses([0, 1])] == ["PCAP_TX", "IDLE"]
    assert "is_dual" in console.refused(f"push -f {file} -p 1 -r --dual")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("push -f {file}x", "not a file on this machine; --remote"),
        ("push -f {file} -i 1 --min-ipg 1", "exclude each other"),
        ("push -f {file} --dual", "are a pair"),
        ("push -f {file} -s 0", "speedup '0' cannot be used"),
        ("push -f {other}", "unknown file format"),
        ("push", "required"),
        ("pkt", "with -s, or -l"),
        ("pkt -s Ether(", "cannot be read"),
        ("pkt -s 'IP()/UDP()'", "does not begin with Ether()"),
        ("pkt -s 'Ether()/Nothing()'", "'Nothing' is not a layer"),
        ("pkt -s 'Ether()/IP(ttl=\"x\")'", "cannot be built"),
        ("pkt -s '__import__(\"os\")'", "is not a layer"),
        ("pkt -s 'Ether().__class__'", "only layers and their fields"),
        ("pkt -s '().__class__()'", "only layers and their fields"),
        ("global_cfg -t colour=red", "no setting 'colour'"),
        ("global_cfg -t do_mbuf_cache=maybe", "not true or false"),
        ("global_cfg -t sched_max_stretch=long", "is not a number"),
        ("start -f bench --pin --core_mask 1", "exclude each other"),
        ("start -f bench --core_mask 1 1 1", "3 core masks for 2 ports"),
        ("scan6", "under service mode"),
    ],
)
def test_what_cannot_be_done_is_one_line(console: Driver, file: Path, line: str, words: str) -> None:
    other = file.with_name("other.txt")
    other.write_text("no capture at all")
    assert words in console.refused(line.format(file=file, other=other))


def test_a_large_file_needs_force(console: Driver, file: Path) -> None:
    with file.open("ab") as end:
        end.truncate((1 << 20) + 1)
    assert "over 1 MB" in console.refused(f"push -f {file} -p 0")


def test_a_packet_at_the_prompt(server: ConsoleServer, console: Driver) -> None:
    pushed: list[tuple[int, bytes]] = []
    server.server.pushes.push = lambda port, packets, gap: pushed.extend((port, one) for one in packets)  # type: ignore[method-assign]
    console('pkt -p 1 -s \'Ether(dst="02:00:00:00:00:0a")/IP(dst="1.2.3.4")/UDP(dport=12)/("x"*20)\'')
    [(port, packet)] = pushed
    layers = Ether(packet)
    assert (port, layers.dst, layers[IP].dst, layers[UDP].dport) == (1, A, "1.2.3.4", 12)
    assert layers.src == console.session.port_info(1)["hw_mac"]
    out = console("pkt -n -s 'Ether()/ARP()'")
    assert "size: 42 B" in out and "###[ ARP ]###" in out and out.endswith("not sent")
    assert {"ARP", "Ether", "IPv6", "UDP"} <= set(console("pkt -l").split(", "))
    assert len(pushed) == 1


def test_a_packet_is_pushed_into_traffic(console: Driver) -> None:
    console("start -f bench -m 1kpps -p 0")
    for force in ("", "--force"):
        assert "[SUCCESS]" in console(f"pkt -p 0 {force} -s 'Ether()/IP()/UDP()/(\"x\"*20)'")


def test_addresses_that_are_left_out_are_the_ports() -> None:
    packet, _ = read_packet('Ether(src="02:00:00:00:00:01")/IP()')
    assert (packet.port_src_mac, packet.port_dst_mac) == (False, True)
    assert packet.to_json()["binary"] == base64.b64encode(packet.raw).decode()
    with pytest.raises(UsageError):
        read_packet("1/0")


def test_global_settings(console: Driver) -> None:
    assert "sched_max_stretch: 0.0" in console("global_cfg")
    assert "[SUCCESS]" in console("global_cfg -t sched_max_stretch=0.5,process_at_cp=false")
    assert "sched_max_stretch: 0.5" in console("global_cfg")


def test_the_server_is_shut_down(server: ConsoleServer, console: Driver) -> None:
    assert f"Shutting down the server at {server.address}:" in console("shutdown")
    assert server.server.ending is not None
    assert "was shut down" in console.refused("stats")


def test_others_ports_keep_the_server_up(server: ConsoleServer, console: Driver) -> None:
    other = Driver(server.address, user="somebody")
    other("acquire --force")
    assert "owned by 'somebody'" in console.refused("shutdown")
    console("shutdown --force")
    other.session.drop("done")


def test_traffic_pinned_and_in_step(server: ConsoleServer, console: Driver) -> None:
    console("start -f bench -m 1kpps --pin")
    console("stop")
    console("start -f bench -m 1kpps --sync --core_mask 0x1 0x1")
    server.advance(3)
    assert {one["state"] for one in console.session.statuses([0, 1])} == {"TX"}


def test_tagged_groups_are_off(console: Driver) -> None:
    assert console("tpg_status").splitlines() == [
        "port 0: tagged packet groups are off",
        "port 1: tagged packet groups are off",
    ]
