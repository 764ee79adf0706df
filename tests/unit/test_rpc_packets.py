"""Captures, receive queues, pushed packets and packet files, over a fake core."""

from __future__ import annotations

import base64
import os
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.utils import PcapNgWriter, wrpcap
from test_rpc_methods import Session

from wirespeed._native.pcap import PacketFilter, read_packets
from wirespeed._native.stream_records import Stream
from wirespeed.errors import FileFault, UsageError
from wirespeed.generator.erf import read_records
from wirespeed.generator.packet_file import Playing, file_streams
from wirespeed.generator.rpc import RpcError
from wirespeed.generator.translation import Addresses

MACS = {"src": "02:00:00:00:00:0a", "dst": "02:00:00:00:00:0b"}
UDP_PACKET = bytes(Ether(**MACS) / IP(src="16.0.0.1", dst="48.0.0.1") / UDP(sport=1, dport=2) / (b"x" * 20))
ARP_PACKET = bytes(Ether(**MACS) / ARP(psrc="1.1.1.1", pdst="1.1.1.2"))
TAGGED_ARP = bytes(Ether(**MACS) / Dot1Q(vlan=5) / ARP(psrc="1.1.1.1", pdst="1.1.1.2"))


@pytest.fixture
def session() -> Session:
    one = Session()
    one.acquire(0, 1)
    return one


def start(session: Session, **params: Any) -> int:
    given = {"command": "start", "tx": [], "rx": [0], "limit": 10, "mode": "fixed", "filter": ""} | params
    number: int = session.call("capture", **given)["capture_id"]
    return number


def fetch(session: Session, number: int, **params: Any) -> list[bytes]:
    answer = session.call("capture", command="fetch", capture_id=number, **{"pkt_limit": 50} | params)
    return [base64.b64decode(packet["binary"]) for packet in answer["pkts"]]


# ---- filters


@pytest.mark.parametrize(
    ("text", "packet", "passes"),
    [
        ("", UDP_PACKET, True),
        ("  ", UDP_PACKET, True),
        ("arp", ARP_PACKET, True),
        ("arp", UDP_PACKET, False),
        ("arp or (vlan and arp) or (vlan and arp)", TAGGED_ARP, True),
        ("udp dst port 2 and src host 16.0.0.1", UDP_PACKET, True),
        ("udp dst port 3", UDP_PACKET, False),
        ("greater 65", UDP_PACKET, False),
        ("greater 62", UDP_PACKET, True),
    ],
)
def test_filters_mean_what_libpcap_says(text: str, packet: bytes, passes: bool) -> None:
    assert PacketFilter(text).matches(packet) is passes


def test_a_filter_sees_the_length_on_the_wire() -> None:
    assert PacketFilter("greater 1000").matches(UDP_PACKET, 1500)


@pytest.mark.parametrize("text", ["arp and", "foo bar", "port 99999", "x" * 5000, "arp\x00", "ip\nhost"])
def test_filters_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match="packet filter"):
        PacketFilter(text)


# ---- captures


def test_a_capture_keeps_what_its_filter_lets_pass(session: Session) -> None:
    number = start(session, tx=[0], rx=[1], filter="arp")
    for packet in (UDP_PACKET, ARP_PACKET, UDP_PACKET):
        session.core.wire(1, packet)
    session.core.wire(0, ARP_PACKET, is_tx=True)
    session.core.wire(0, ARP_PACKET)  # a direction that was not requested
    (status,) = session.call("capture", command="status")
    assert status == {
        "id": number,
        "state": "ACTIVE",
        "limit": 10,
        "count": 2,
        "bytes": 2 * len(ARP_PACKET),
        "matched": 2,
        "fetched": 0,
        "missed": 0,
        "mode": "fixed",
        "filter": {"bpf": "arp", "tx": 1, "rx": 2},
    }
    answer = session.call("capture", command="fetch", capture_id=number, pkt_limit=1)
    assert (answer["pending"], answer["pkts"][0]["index"], answer["pkts"][0]["wirelen"]) == (1, 1, len(ARP_PACKET))
    assert {packet["origin"] for packet in answer["pkts"]} == {"RX"}
    assert session.call("capture", command="stop", capture_id=number) == {"pkt_count": 1, "endpoint": ""}
    session.core.advance(1)
    assert session.call("capture", command="status")[0]["state"] == "STOPPED"
    assert fetch(session, number) == [ARP_PACKET]
    session.call("capture", command="remove", capture_id=number)
    assert session.call("capture", command="status") == []


@pytest.mark.parametrize(("mode", "kept"), [("fixed", [0, 1]), ("cyclic", [3, 4])])
def test_a_full_capture_forgets_the_newest_or_the_oldest(session: Session, mode: str, kept: list[int]) -> None:
    number = start(session, limit=2, mode=mode)
    packets = [UDP_PACKET + bytes([index]) for index in range(5)]
    for packet in packets:
        session.core.wire(0, packet)
    assert session.call("capture", command="status")[0]["matched"] == 5
    assert fetch(session, number) == [packets[index] for index in kept]


def test_what_comes_faster_than_it_is_read_is_counted(session: Session) -> None:
    start(session, limit=10_000)
    for _ in range(5000):
        session.core.wire(0, UDP_PACKET)
    session.server.tick()
    session.server.tick()
    (status,) = session.call("capture", command="status")
    assert (status["matched"], status["missed"]) == (4096, 5000 - 4096)


def test_snap_length_cuts_and_tells_the_whole(session: Session) -> None:
    number = start(session, snaplen=20)
    session.core.wire(0, UDP_PACKET)
    (packet,) = session.call("capture", command="fetch", capture_id=number, pkt_limit=5)["pkts"]
    assert (base64.b64decode(packet["binary"]), packet["wirelen"]) == (UDP_PACKET[:20], len(UDP_PACKET))


def test_large_packets_are_fetched_in_parts(session: Session) -> None:
    number = start(session, limit=1000)
    for _ in range(200):
        session.core.wire(0, UDP_PACKET.ljust(9000, b"x"))
    parts = []
    while pieces := fetch(session, number, pkt_limit=1000):
        parts.append(len(pieces))
    assert sum(parts) == 200
    assert len(parts) > 1


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"command": "dance"}, "can only be one of"),
        ({}, "field 'command' is missing"),
        ({"command": "start", "rx": [7]}, "invalid port id - should be: 0 1"),
        ({"command": "start", "rx": ["0"]}, "not an array of 'uint8'"),
        ({"command": "start", "rx": [0], "mode": "sideways"}, "can only be one of"),
        ({"command": "start", "rx": [0], "filter": "no such"}, "BPF filter: 'no such' is not a valid pattern"),
        ({"command": "start", "rx": [0], "snaplen": 1 << 20}, "'snaplen'"),
        ({"command": "start", "rx": [0], "endpoint": "file:///tmp/x"}, "endpoint"),
        ({"command": "fetch", "capture_id": 9}, "capture ID not found"),
        ({"command": "stop", "capture_id": 9}, "capture ID not found"),
        ({"command": "remove", "capture_id": 9}, "capture ID not found"),
    ],
)
def test_captures_that_cannot_be(session: Session, params: dict[str, Any], said: str) -> None:
    with pytest.raises(RpcError, match=said):
        session.call("capture", **params)
    assert session.call("capture", command="status") == []


def test_captures_are_few(session: Session) -> None:
    numbers = [start(session) for _ in range(10)]
    with pytest.raises(RpcError, match="there are 10 captures, the maximum"):
        start(session)
    session.call("capture", command="remove", capture_id=numbers[0])
    assert start(session) == numbers[-1] + 1


def test_packets_are_read_soon_while_somebody_wants_them(session: Session) -> None:
    idle_s = session.server.watch_s
    number = start(session)
    assert session.server.watch_s < idle_s
    session.call("capture", command="stop", capture_id=number)
    assert session.server.watch_s == idle_s


# ---- receive queues


def test_a_receive_queue_keeps_the_newest(session: Session) -> None:
    session.owned("set_rx_feature", type="queue", enabled=True, size=2)
    packets = [UDP_PACKET + bytes([index]) for index in range(3)]
    for packet in packets:
        session.core.wire(0, packet)
    queue = session.call("get_port_status", port_id=0)["rx_info"]["queue"]
    assert queue == {"is_active": True, "size": 2, "count": 2}
    received = session.call("get_rx_queue_pkts", port_id=0)["pkts"]
    assert [base64.b64decode(packet["binary"]) for packet in received] == packets[1:]
    session.owned("set_rx_feature", type="queue", enabled=False)
    assert session.call("get_port_status", port_id=0)["rx_info"]["queue"] == {"is_active": False}
    assert session.call("get_rx_queue_pkts", port_id=0) == {"pkts": []}


def test_service_mode_stays_while_a_queue_is_open(session: Session) -> None:
    session.owned("service", enabled=True)
    session.owned("set_rx_feature", type="queue", enabled=True, size=2)
    said = "unable to disable service mode - please remove RX queue"
    assert session.refused("service", enabled=False) == said
    session.owned("service", enabled=False, filtered=True)
    session.owned("set_rx_feature", type="queue", enabled=False)
    session.owned("service", enabled=False)


def test_features_that_are_not_there(session: Session) -> None:
    for params, said in (
        ({"type": "tunnel", "enabled": True}, "can only be one of"),
        ({"type": "queue", "enabled": True, "size": 0}, "queue size cannot be zero"),
    ):
        with pytest.raises(RpcError, match=said):
            session.owned("set_rx_feature", **params)
    assert "is not supported" in session.refused("set_rx_feature", type="capwap_proxy", enabled=True)


def test_service_mode_is_kept_while_a_capture_looks(session: Session) -> None:
    session.owned("service", enabled=True)
    started = session.call("capture", command="start", rx=[0])
    assert "active capture on port 0" in session.refused("service", enabled=False)
    session.call("capture", command="remove", capture_id=started["capture_id"])
    session.owned("service", enabled=False)


# ---- pushed packets


def pushed(packet: bytes, dst: bool = False, src: bool = False) -> dict[str, Any]:
    return {"binary": base64.b64encode(packet).decode(), "use_port_dst_mac": dst, "use_port_src_mac": src}


def test_pushed_packets_keep_or_get_addresses(session: Session) -> None:
    number = start(session, rx=[1], tx=[0])
    packets = [pushed(UDP_PACKET), pushed(UDP_PACKET, dst=True), pushed(UDP_PACKET, src=True)]
    assert session.call("push_pkts", port_id=0, pkts=packets, ipg_usec=10)["sent"] == 3
    seen = [packet[:12].hex() for packet in fetch(session, number)]
    own = UDP_PACKET[:12].hex()
    assert seen[::2] == [own, "02fe00000000" + own[12:], own[:12] + "020000000001"]
    assert session.core.calls[-1][0] == "push" and session.core.calls[-1][3] == 10


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"pkts": ["x"]}, "expecting 'object'"),
        ({"pkts": [{}]}, "field 'binary' value is null"),
        ({"pkts": [{"binary": "*"}]}, "Bad packet size provided: 0"),
        ({"pkts": [{"binary": "\u00e9"}]}, "Bad packet size provided: 0"),
        ({"pkts": [pushed(b"x" * 60)] * 3, "ipg_usec": 333_334}, "exceeds the limit of 1 second"),
        ({"pkts": [pushed(b"x" * 13)]}, "Bad packet size provided: 13"),
        ({"pkts": [pushed(b"x" * 1600)]}, "--mtu"),
        ({"pkts": [], "ipg_usec": -1}, "ipg_usec of -1"),
    ],
)
def test_packets_that_cannot_be_pushed(session: Session, params: dict[str, Any], said: str) -> None:
    with pytest.raises(RpcError, match=said):
        session.call("push_pkts", port_id=0, **params)


def test_packets_are_pushed_beside_streams(session: Session) -> None:
    session.load()
    session.start()
    for force in (False, True):
        assert session.call("push_pkts", port_id=0, pkts=[pushed(UDP_PACKET)], force=force)["sent"] == 1
    session.server.tick()
    assert [call[0] for call in session.core.calls].count("push") == 2
    assert session.state() == "TX"


def test_a_second_push_waits_for_the_first(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    left = 5
    monkeypatch.setattr(session.core, "push_left", lambda port: left)
    session.call("push_pkts", port_id=0, pkts=[pushed(UDP_PACKET)])
    session.server.tick()
    assert not [call for call in session.core.calls if call[0] == "push"]
    assert session.server.watch_s < 0.1
    left = 0
    session.server.tick()
    assert len([call for call in session.core.calls if call[0] == "push"]) == 1


def test_pushed_packets_do_not_pile_up_without_end(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.core, "push_left", lambda port: 1)
    many = [pushed(UDP_PACKET)] * 5000
    for _ in range(4):
        session.call("push_pkts", port_id=0, pkts=many)
    with pytest.raises(RpcError, match="push fewer at a time"):
        session.call("push_pkts", port_id=0, pkts=many)


# ---- packet files

ADDRESSES = Addresses(src=b"\x02\0\0\0\0\x01", dst=b"\x02\0\0\0\0\x02")


@pytest.fixture
def packet_file(tmp_path: Path) -> Path:
    packets = []
    for number, at_s in enumerate((10.0, 10.001, 10.004)):
        packet = Ether(UDP_PACKET + bytes([number]))
        packet.time = at_s
        packets.append(packet)
    wrpcap(str(tmp_path / "three.pcap"), packets)
    return tmp_path / "three.pcap"


def gaps_us(streams: list[Stream]) -> list[float]:
    """Delays before streams: from the last packet of the stream that leads to it."""
    return [stream.start_delay_us for stream in streams]


def test_a_packet_file_becomes_a_chain_of_single_packets(packet_file: Path) -> None:
    streams = file_streams(packet_file, ADDRESSES, Playing())
    assert [(one.id, one.next_id, one.self_start, one.packets) for one in streams] == [
        (0, 1, True, 1),
        (1, 2, False, 1),
        (2, -1, False, 1),
    ]
    assert gaps_us(streams) == pytest.approx([0, 1000, 3000], rel=1e-4)
    assert {one.packet[:12] for one in streams} == {ADDRESSES.dst + ADDRESSES.src}
    assert [one.packet[12:] for one in streams] == [UDP_PACKET[12:] + bytes([number]) for number in range(3)]


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        (Playing(speedup=2, rounds=0), [500, 1500, 1500]),
        (Playing(gap_us=100, rounds=0), [100, 100, 100]),
        (Playing(gap_us=100, speedup=4, rounds=0), [25, 25, 25]),
        (Playing(gap_us=0, rounds=0), [0.001, 0.001, 0.001]),
        (Playing(min_gap_us=2000, rounds=0), [2000, 3000, 3000]),
    ],
)
def test_gaps(packet_file: Path, how: Playing, expected: list[float]) -> None:
    first, *between, pause = file_streams(packet_file, ADDRESSES, how)
    assert (first.start_delay_us, first.is_null, pause.is_null) == (0, False, True)
    assert gaps_us([*between, pause]) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("rounds", "next_id", "loops"), [(1, -1, 0), (3, 0, 3), (0, 0, 0)])
def test_rounds(packet_file: Path, rounds: int, next_id: int, loops: int) -> None:
    last = file_streams(packet_file, ADDRESSES, Playing(rounds=rounds))[-1]
    assert (last.next_id, last.loops) == (next_id, loops)


def test_addresses_of_the_file_are_kept_when_asked_for(packet_file: Path) -> None:
    kept = file_streams(packet_file, ADDRESSES, Playing(keeps_src=True, keeps_dst=True))
    assert kept[0].packet[:12] == UDP_PACKET[:12]


def test_pcapng_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "one.pcapng"
    with PcapNgWriter(str(path)) as writer:
        writer.write(Ether(UDP_PACKET))
    assert [packet for _, packet in read_packets(path)] == [UDP_PACKET]


def test_files_that_cannot_be_played(tmp_path: Path) -> None:
    for content, said in ((b"", "truncated"), (b"no pcap at all, by far", "unknown file format")):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(FileFault, match=said):
            file_streams(tmp_path / "bad", ADDRESSES, Playing())
    for name in ("missing", "missing.erf", "a\0b", "a\0b.erf", "\ud800.erf"):
        with pytest.raises(FileFault, match="No such file"):
            file_streams(tmp_path / name, ADDRESSES, Playing())
    wrpcap(str(tmp_path / "raw"), [IP()], linktype=101)
    with pytest.raises(FileFault, match="does not hold Ethernet"):
        file_streams(tmp_path / "raw", ADDRESSES, Playing())
    wrpcap(str(tmp_path / "short"), [b"x" * 13], linktype=1)
    with pytest.raises(UsageError, match="packet 1 has 13 bytes"):
        file_streams(tmp_path / "short", ADDRESSES, Playing())


def play(session: Session, path: Path, **params: Any) -> None:
    given = {"ipg_usec": -1, "speedup": 1.0, "count": 1, "duration": -1, "is_dual": False, "min_ipg_usec": 0}
    session.owned("push_remote", pcap_filename=str(path), **given | params)


def test_a_port_that_plays_a_file_is_in_a_state_of_its_own(session: Session, packet_file: Path) -> None:
    session.events()
    play(session, packet_file, count=0x4000_0003)
    assert session.state() == "PCAP_TX"
    assert "PCAP_TX" in session.refused("pause_traffic")
    session.load()
    mul = {"type": "pps", "op": "abs", "value": 1}
    assert "PCAP_TX" in session.refused("start_traffic", mul=mul, duration=-1, force=False)
    _, port, streams, factor, duration_s = session.core.calls[-1]
    assert (port, factor, duration_s) == (0, 1.0, -1)
    assert isinstance(streams, tuple) and streams[-1].loops == 3
    assert streams[0].packet[:6] == UDP_PACKET[:6]
    session.core.finish(0, profile=(1 << 32) - 1)
    session.server.tick()
    assert [kind for kind, _ in session.events()] == [0, 14, 4]
    assert session.state() == "STREAMS"


def test_a_file_is_stopped(session: Session, packet_file: Path) -> None:
    play(session, packet_file, count=0, duration=5.0)
    session.owned("stop_traffic")
    assert session.state() == "IDLE"
    play(session, packet_file)


def erf_record(at_s: float, frame: bytes, interface: int, extensions: int = 0) -> bytes:
    kind = 2 | (0x80 if extensions else 0)
    body = b"".join(bytes([0x80 if left else 0]) + bytes(7) for left in reversed(range(extensions)))
    body += bytes(2) + frame + bytes(4)  # padding and FCS
    body += bytes(-len(body) % 8)
    header = struct.pack("<QBB", round(at_s * (1 << 32)), kind, 4 | interface)
    return header + struct.pack(">HHH", 16 + len(body), 0, len(frame) + 4) + body


@pytest.fixture
def erf_file(tmp_path: Path) -> Path:
    """Two records on the first interface, and one on the second in between."""
    path = tmp_path / "talk.erf"
    path.write_bytes(
        erf_record(5.0, UDP_PACKET, 0)
        + erf_record(5.001, ARP_PACKET, 1, extensions=2)
        + erf_record(5.004, UDP_PACKET + b"!", 0)
    )
    return path


def test_an_erf_file_is_read_in_pieces(tmp_path: Path) -> None:
    path = tmp_path / "long.erf"
    path.write_bytes(erf_record(1.0, UDP_PACKET, 0))
    os.truncate(path, 1 << 30)
    tracemalloc.start()
    try:
        records = read_records(path)
        assert next(records)[1] == UDP_PACKET
        with pytest.raises(FileFault, match="has an invalid length: 0 bytes"):
            next(records)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (os.mkfifo, "it is not a regular file"),
        (os.mkdir, "is a directory; name a file in it"),
        (lambda path: path.symlink_to("/dev/zero"), "it is not a regular file"),
    ],
)
@pytest.mark.parametrize("name", ["p.erf", "p.pcap"])
def test_what_is_no_regular_file_is_no_packet_file(
    make: Callable[[Path], None], fault: str, name: str, session: Session, tmp_path: Path
) -> None:
    make(tmp_path / name)
    assert fault in session.refused("push_remote", pcap_filename=str(tmp_path / name))


def test_an_erf_file_has_frames_times_and_interfaces(erf_file: Path) -> None:
    times, frames, interfaces = zip(*read_records(erf_file), strict=True)
    assert times == pytest.approx((5.0, 5.001, 5.004))
    assert frames == (UDP_PACKET, ARP_PACKET, UDP_PACKET + b"!")
    assert interfaces == (0, 1, 0)
    assert len(file_streams(erf_file, ADDRESSES, Playing())) == 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: data[:-1], "has an invalid length"),
        (lambda data: data + b"123", "ends within a record's header"),
        (lambda data: data[:8] + b"\x01" + data[9:], "of type 1, not Ethernet"),
        (lambda data: data[:10] + b"\0\1" + data[12:], "has an invalid length: 1 bytes"),
        (lambda data: data[:14] + b"\x05\xdc" + data[16:], "cut short"),
    ],
)
def test_erf_files_that_cannot_be_read(erf_file: Path, change: Callable[[bytes], bytes], said: str) -> None:
    erf_file.write_bytes(change(erf_file.read_bytes()))
    with pytest.raises(FileFault, match=said):
        list(read_records(erf_file))


def test_both_sides_of_an_erf_file_are_sent_at_the_same_times(session: Session, erf_file: Path) -> None:
    play(session, erf_file, is_dual=True, slave_handler=session.handlers[1], count=2)
    assert (session.state(0), session.state(1)) == ("PCAP_TX", "PCAP_TX")
    (_, first_port, first, *_), (_, second_port, second, *_) = [
        call for call in session.core.calls if call[0] == "start"
    ]
    assert (first_port, second_port) == (0, 1)
    assert isinstance(first, tuple) and isinstance(second, tuple)
    # From the start of a round; at the end the wait for the next one.
    assert gaps_us(list(first)) == pytest.approx([0, 4000, 3000], rel=1e-4)
    assert gaps_us(list(second)) == pytest.approx([1000, 6000], rel=1e-4)
    assert [len(one.packet) for one in (*first, *second)] == [
        len(UDP_PACKET),
        len(UDP_PACKET) + 1,
        0,
        len(ARP_PACKET),
        0,
    ]


def test_both_sides_of_a_file_need_both_ports(session: Session, erf_file: Path) -> None:
    with pytest.raises(RpcError, match="not owned by you"):
        play(session, erf_file, is_dual=True, slave_handler="foreign")
    session.load(1)
    session.start(port=1)
    with pytest.raises(RpcError, match="push_remote"):
        play(session, erf_file, is_dual=True, slave_handler=session.handlers[1])
    assert session.state(0) == "IDLE"
    erf_file.write_bytes(erf_record(1, UDP_PACKET, 0))
    with pytest.raises(RpcError, match="one interface only"):
        play(session, erf_file, is_dual=True, slave_handler=session.handlers[1])


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"speedup": 0}, "speedup 0"),
        ({"is_dual": True}, "ERF"),
        ({"ipg_usec": 1e12}, "usec cannot be used"),
        ({"path": "/nowhere"}, "No such file"),
    ],
)
def test_plays_that_cannot_be(session: Session, packet_file: Path, params: dict[str, Any], said: str) -> None:
    with pytest.raises(RpcError, match=said):
        play(session, Path(params.pop("path", packet_file)), **params)
    assert session.state() == "IDLE"
