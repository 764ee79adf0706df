"""pcap trace and trace filters with real packets: the file must contain the packets unchanged."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.waiting import wait_for
from router_run import HOST0, HOST1, INTERFACES, ROUTER0, read_pcap, router, wait_received, write_pcap
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Dot1Q, Ether
from scapy.utils import RawPcapReader
from shared_router import shared

from wirespeed.errors import UsageError

CONFIG = f"""\
{INTERFACES}set interface ip address e0 100.64.1.1/30
set interface ip address e1 100.64.2.1/30
ip route add 48.0.0.0/8 via 100.64.2.2
ip neighbor e1 100.64.2.2 {HOST1}
"""


def frame(destination: str, ttl: int = 64, payload: int = 40) -> bytes:
    return bytes(
        Ether(src=HOST0, dst=ROUTER0)
        / IP(src="16.0.0.1", dst=destination, ttl=ttl, id=0)
        / UDP(sport=1, dport=2, chksum=0)
        / bytes(payload)
    )


GOOD, LOST, DEAD = frame("48.0.0.1"), frame("9.9.9.9"), frame("48.0.0.1", payload=1200)
TAGGED = bytes(Ether(src=HOST0, dst=ROUTER0) / Dot1Q(vlan=7) / IP(dst="48.9.0.1") / UDP())


def forwarded(sent: bytes) -> bytes:
    packet = Ether(sent)
    packet.dst, packet.src = "02:ee:00:00:00:01", "02:fe:00:00:00:01"
    packet[IP].ttl -= 1
    del packet[IP].chksum
    return bytes(packet)


def run(directory: Path, command: str, sent: Sequence[bytes], extra: str = "") -> tuple[list[bytes], str]:
    """The frames in the file that `command` wrote while e0 received `sent`, and the output at its end."""
    write_pcap(directory / "in.pcap", sent)
    write_pcap(directory / "none.pcap", [])
    ports = [f"e{i}=pcap:{directory}/{name}.pcap,{directory}/{i}.pcap" for i, name in enumerate(("in", "none"))]
    # In the start-up file, so that it captures the first packet.
    with shared(directory, ports, CONFIG + extra + f"{command} file {directory}/got.pcap\n") as running:
        wait_received(running, len(sent))
        end = running.ask("pcap trace off")
    return read_pcap(directory / "got.pcap"), end


def test_what_comes_in_is_in_the_file_as_it_was(tmp_path: Path) -> None:
    sent = [GOOD] * 20 + [LOST] * 7 + [DEAD] * 5 + [TAGGED]
    frames, end = run(tmp_path, "pcap trace rx max 100", sent)
    assert frames == sent
    assert end == f"captured 33 packets in {tmp_path}/got.pcap\n"


def test_what_goes_out_is_in_the_file_as_it_is(tmp_path: Path) -> None:
    frames, _ = run(tmp_path, "pcap trace tx max 100 intfc e1", [GOOD] * 20 + [LOST] * 7 + [DEAD])
    assert frames == [forwarded(GOOD)] * 20 + [forwarded(DEAD)]
    assert read_pcap(tmp_path / "1.pcap") == frames


def test_what_is_dropped_is_in_the_file_with_its_ethernet_header(tmp_path: Path) -> None:
    frames, _ = run(tmp_path, "pcap trace drop max 100 intfc any", [GOOD] * 20 + [LOST] * 7 + [TAGGED, b"\2" * 13])
    # Packets without a route become ICMP errors, up to the rate limit.
    kinds = Counter(frames)
    assert kinds[TAGGED] == kinds[b"\2" * 13] == 1
    assert kinds[GOOD] == 0
    assert all(dropped[12:14] in (b"\x08\x00", b"\x81\x00", b"\2") or len(dropped) == 13 for dropped in kinds)


def test_it_ends_by_itself_when_it_is_full(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [GOOD] * 300)
    with shared(
        tmp_path, [f"e0=pcap:{tmp_path}/in.pcap"], f"pcap trace rx max 10 file {tmp_path}/got.pcap\n"
    ) as running:
        wait_received(running, 300)
        wait_for(lambda: running.ask("pcap trace status").startswith("full: captured 10"), "the end of the capture")
        # The file is complete already.
        assert read_pcap(tmp_path / "got.pcap") == [GOOD] * 10
        with pytest.raises(UsageError, match="a capture is there already; end it with: pcap trace off"):
            running.ask("pcap trace tx")
        assert running.ask("pcap trace off").startswith("captured 10 packets")
        assert running.ask("pcap trace status") == "no capture\n"


def test_packets_are_cut_but_their_length_is_kept(tmp_path: Path) -> None:
    run(tmp_path, "pcap trace rx max-bytes-per-pkt 100", [GOOD, DEAD])
    with RawPcapReader(str(tmp_path / "got.pcap")) as reader:
        records = [(len(data), record.wirelen) for data, record in reader]
    assert records == [(len(GOOD), len(GOOD)), (100, len(DEAD))]


def test_the_prefix_filter_chooses_packets_behind_tags_too(tmp_path: Path) -> None:
    frames, _ = run(tmp_path, "pcap trace rx filter", [GOOD, LOST, TAGGED, LOST], "trace filter prefix 48.0.0.0/8\n")
    assert frames == [GOOD, TAGGED]


def test_tcpdump_reads_it(tmp_path: Path) -> None:
    if shutil.which("tcpdump") is None:
        pytest.skip("tcpdump is not installed")
    run(tmp_path, "pcap trace rx tx drop max 10", [GOOD, LOST])
    words = ["tcpdump", "-nnr", str(tmp_path / "got.pcap")]
    shown = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert "IP 16.0.0.1.1 > 48.0.0.1.2: UDP, length 40" in shown
    assert "IP 16.0.0.1.1 > 9.9.9.9.2" in shown


def test_forwarding_goes_on_whole_and_all_is_captured(tmp_path: Path) -> None:
    # More than the ring of copies holds.
    flows = [frame(f"48.0.{number // 250}.{number % 250 + 1}") for number in range(6000)]
    frames, end = run(tmp_path, "pcap trace rx tx max 20000", flows)
    assert len(read_pcap(tmp_path / "1.pcap")) == 6000
    missed = int(end.split(",")[1].split()[0]) if "found no room" in end else 0
    assert len(frames) + missed == 12000
    assert len(frames) >= 4000


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with shared(tmp_path, ["e0=ring:a"]) as running:
        with pytest.raises(Exception, match="/nowhere/x.pcap cannot be written: No such file"):
            running.ask("pcap trace rx file /nowhere/x.pcap")
        with pytest.raises(UsageError, match="give one with: trace filter prefix"):
            running.ask("pcap trace rx filter")
        with pytest.raises(UsageError, match="no capture is on"):
            running.ask("pcap trace off")


def test_a_capture_that_is_on_at_the_end_is_complete(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [GOOD] * 30)
    with router(tmp_path, [f"e0=pcap:{tmp_path}/in.pcap"], f"pcap trace rx file {tmp_path}/got.pcap\n") as running:
        wait_received(running, 30)
    assert read_pcap(tmp_path / "got.pcap") == [GOOD] * 30


# ---- Trace filters


def packets(shown: str) -> list[str]:
    return shown.split("Packet ")[1:]


def test_trace_filters(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [GOOD] * 5 + [LOST] * 3)
    write_pcap(tmp_path / "none.pcap", [])
    ports = [f"e{i}=pcap:{tmp_path}/{name}.pcap,{tmp_path}/{i}.pcap" for i, name in enumerate(("in", "none"))]
    with shared(tmp_path, ports, CONFIG + "trace add dpdk-input 100\n") as running:
        wait_received(running, 8)
        assert len(packets(running.ask("show trace"))) == 8
        running.ask("trace filter include ip4-rewrite 100")
        assert len(packets(running.ask("show trace"))) == 5
        running.ask("trace filter exclude ip4-rewrite 2")
        assert len(packets(running.ask("show trace"))) == 2
        assert all("9.9.9.9" in packet for packet in packets(running.ask("show trace")))
        assert running.ask("show trace filter") == "trace filter exclude ip4-rewrite 2\n"
        running.ask("trace filter none")
        assert len(packets(running.ask("show trace"))) == 8


def test_only_packets_of_the_prefix_are_traced(tmp_path: Path) -> None:
    write_pcap(tmp_path / "in.pcap", [GOOD] * 5 + [LOST] * 3 + [TAGGED])
    config = CONFIG + "trace filter prefix 9.0.0.0/8\ntrace add dpdk-input 100\n"
    with shared(tmp_path, [f"e0=pcap:{tmp_path}/in.pcap", "e1=ring:a"], config) as running:
        wait_received(running, 9)
        assert len(packets(running.ask("show trace"))) == 3
        assert running.ask("show trace filter") == "trace filter prefix 9.0.0.0/8\n"
