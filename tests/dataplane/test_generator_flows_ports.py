"""Functions of a port besides one set of streams: several profiles, captures, packets pushed by the main thread."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from harness.waiting import wait_for
from scapy.all import ARP, ICMP, IP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Raw

from wirespeed._native.flow_records import MAX_CAPTURES, CaptureWhat
from wirespeed._native.stream_records import Op, OpKind, Stream, StreamMode

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild, Refused
from pcap_file import frames


def packet(number: int, size: int = 60) -> bytes:
    """Without FCS; the destination port is `number`."""
    return bytes(Ether(dst="00:00:00:02:00:00") / IP() / UDP(dport=number) / Raw(b"x" * (size - 42)))


def number_of(frame: bytes) -> int:
    return int.from_bytes(frame[36:38], "big")


def burst(ident: int, packets: int) -> Stream:
    return Stream(ident, packet(ident), mode=StreamMode.SINGLE_BURST, rate_pps=5e3, packets=packets)


# ---- profiles


def test_profiles_of_a_port_start_and_stop_by_themselves(tmp_path: Path) -> None:
    capture = tmp_path / "out.pcap"
    with GeneratorChild(f"pcap:,{capture}") as child:
        child.start(0, Stream(1, packet(100), rate_pps=1e3), profile=5)
        child.start(0, burst(1, 300), profile=6)
        child.start(0, Stream(1, packet(200), rate_pps=1e3), profile=7)
        assert child.profiles(0).keys() >= {5, 7}
        wait_for(lambda: 6 not in child.profiles(0), "the end of profile 6")
        assert child.change("pause", 0, True, [5, 6]) == 1  # 6 has ended
        assert child.profiles(0) == {5: True, 7: False}
        assert not child.snapshot().ports[0].paused
        child.change("stop", 0, [7, 8])
        assert child.profiles(0) == {5: True}
        stopped = child.snapshot().ports[0]
        assert stopped.paused and stopped.active
        child.start(0, burst(2, 50), profile=7)  # the number is free again
        assert child.change("pause", 0, False, [5]) == 1
        assert child.change("set_factors", 0, [(6, 2.0), (5, 2.0)]) == 1
        with pytest.raises(Refused, match="port p0 sends already"):
            child.start(0, burst(3, 1), profile=5)
        wait_for(lambda: 7 not in child.profiles(0), "the end of profile 7")
        child.change("stop", 0)
        assert child.profiles(0) == {}
        port = child.finish()[0]
    counts = Counter(number_of(frame) for frame in frames(capture))
    assert 300 - port.late_packets <= counts[1] <= 300
    assert counts[100] > 0 and counts[200] > 0
    assert 50 - port.late_packets <= counts[2] <= 50
    assert counts.total() == port.tx_packets
    assert port.intended_packets == port.tx_packets + port.refused_packets + port.late_packets


def test_profiles_add_their_packets() -> None:
    with GeneratorChild("ring:loop") as child:
        for profile in range(20):
            child.start(0, *(burst(i, 10 + profile) for i in range(1, 4)), profile=profile)
        port = child.finish()[0]
    assert port.intended_packets == 3 * sum(10 + profile for profile in range(20))
    assert port.rx_packets == port.tx_packets


def test_profiles_begin_when_they_are_told() -> None:
    """Two ports start at the same time, and no packet is sent before. The needed lead depends on the load of the
    machine: a start that was too late by the generator's own clock is repeated.
    """
    ahead_s, in_time = 0.2, False
    with GeneratorChild("ring:a", "ring:a") as child:
        capture = child.start_capture([0, 1], [], 1000)
        while not in_time:
            begin_s = child.snapshot().at_s + ahead_s
            for port in (0, 1):
                child.start(port, burst(1, 20), start_at_s=begin_s)
            waiting = child.profiles(0), child.profiles(1)
            in_time = child.snapshot().at_s < begin_s
            child.finish()
            seen = child.read_capture(capture)
            ahead_s *= 2
    assert waiting == ({0: False}, {0: False})
    assert Counter(one.port for one in seen) == {0: 20, 1: 20}
    assert min(one.at_s for one in seen) >= begin_s - 1e-6


# ---- captures


def test_captures_see_both_directions() -> None:
    with GeneratorChild("ring:a", "ring:a") as child:
        both = child.start_capture([0, 1], [0, 1], 1000)
        sent = child.start_capture([0], [], 1000)
        received = child.start_capture([], [1], 1000, snap_len=40)
        child.start(0, burst(7, 30), burst(8, 20))
        child.start(1, replace(burst(9, 10), packet=packet(9, 1000)))
        child.finish()
        seen = child.read_capture(both)
        assert Counter((one.port, one.is_tx) for one in seen) == {
            (0, True): 50,
            (1, False): 50,
            (1, True): 10,
            (0, False): 10,
        }
        assert [one.at_s for one in seen] == sorted(one.at_s for one in seen)
        assert {one.data for one in seen if one.port == 1 and one.is_tx} == {packet(9, 1000)}
        assert [one.data for one in child.read_capture(sent)] == [
            one.data for one in seen if one.port == 0 and one.is_tx
        ]
        short = child.read_capture(received)
        assert {(one.packet_len, len(one.data)) for one in short} == {(60, 40)}
        assert len(short) == 50
        assert child.read_capture(both) == []
        for capture in (both, sent, received):
            child.change("stop_capture", capture)


def test_full_captures_count_what_they_miss() -> None:
    with GeneratorChild("ring:loop") as child:
        capture = child.start_capture([], [0], 40)
        child.start(0, burst(1, 100))
        child.finish()
        assert child.change("capture_missed", capture) == 60
        assert len(child.read_capture(capture, 30)) == 30
        child.start(0, burst(2, 100))
        child.finish()
        assert [number_of(one.data) for one in child.read_capture(capture)] == [1] * 10 + [2] * 30
        assert child.change("capture_missed", capture) == 130


def test_control_captures_take_control_packets_only() -> None:
    control = [
        bytes(Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="10.0.0.1")),
        bytes(Ether() / Dot1Q(vlan=7) / ARP(pdst="10.0.0.2")),
        bytes(Ether() / IP() / ICMP()),
        bytes(Ether() / Dot1Q(vlan=7) / Dot1Q(vlan=8) / IP() / ICMP()),
        bytes(Ether() / IPv6() / ICMPv6EchoRequest()),
    ]
    others = [packet(5), bytes(Ether() / IPv6() / UDP()), b"\x02" * 14, bytes(Ether(type=0x88CC))]
    with GeneratorChild("ring:a", "ring:a") as child:
        capture = child.start_capture([], [1], 1000, what=CaptureWhat.CONTROL)
        child.start(0, burst(1, 100))
        child.push(0, [control[0], others[0], *control[1:], *others[1:]])
        child.finish()
        seen = child.read_capture(capture)
        assert [one.data.rstrip(b"\0") for one in seen] == [one.rstrip(b"\0") for one in control]
        assert child.change("capture_missed", capture) == 0


def test_refused_packets_are_in_no_capture(tmp_path: Path) -> None:
    with GeneratorChild(f"memif:{tmp_path}/alone.sock,role=server") as child:
        capture = child.start_capture([0], [0], 100)
        child.start(0, burst(1, 50))
        assert child.finish()[0].tx_packets == 0
        assert child.read_capture(capture) == []


@pytest.mark.parametrize("rounds", [4, pytest.param(20, marks=pytest.mark.long("hundreds of captures"))])
def test_captures_come_and_go_while_it_sends(rounds: int) -> None:
    with GeneratorChild("ring:a", "ring:a", cpus=(0, 1)) as child:
        child.start(0, Stream(1, packet(1), rate_pps=2e5))
        child.start(1, Stream(1, packet(2), rate_pps=2e5))
        for _ in range(rounds):
            captures = [child.start_capture([0, 1], [0, 1], 64) for _ in range(MAX_CAPTURES)]
            assert len(set(captures)) == MAX_CAPTURES
            with pytest.raises(Refused, match=f"{MAX_CAPTURES} captures run already"):
                child.start_capture([0], [], 10)
            child.read_capture(captures[3])
            for capture in captures:
                child.change("stop_capture", capture)
        child.change("stop", 0)
        child.change("stop", 1)
        child.finish()


def test_wrong_captures_are_told() -> None:
    with GeneratorChild("ring:loop") as child:
        with pytest.raises(Refused, match="a capture on ports 0x2; ports 0 to 0 are there"):
            child.start_capture([1], [], 10)
        with pytest.raises(Refused, match="a capture of 0 packets"):
            child.start_capture([0], [], 0)
        with pytest.raises(Refused, match="a capture of 4000000000 packets"):
            child.start_capture([0], [], 4_000_000_000)
        with pytest.raises(Refused, match="there is no capture 3"):
            child.read_capture(3)


# ---- pushed packets


def test_pushed_packets_go_in_order_and_apart() -> None:
    pushed = [packet(number, 60 + number) for number in range(50)]
    with GeneratorChild("ring:a", "ring:a") as child:
        sent, received = child.start_capture([0], [], 1000), child.start_capture([], [1], 1000)
        child.push(0, [*pushed, b"\x02" * 20], gap_us=1000.0)
        ports = child.finish()
        seen = child.read_capture(sent)
        assert [one.data for one in seen] == [*pushed, b"\x02" * 20]
        assert [one.data for one in child.read_capture(received)] == [one.data for one in seen]
    assert seen[-1].at_s - seen[0].at_s > 0.049
    assert ports[0].intended_packets == ports[0].tx_packets == ports[1].rx_packets == 51
    assert ports[0].tx_bytes == sum(len(one) + 4 for one in pushed) + 24
    assert (ports[0].pushed_packets, ports[0].pushed_bytes) == (ports[0].tx_packets, ports[0].tx_bytes)


def test_pushes_go_beside_streams() -> None:
    ops = (Op(OpKind.VAR, size=4, max=1 << 20), Op(OpKind.WRITE, size=4, offset=50))
    with GeneratorChild("ring:loop") as child:
        child.start(0, Stream(1, packet(1), rate_pps=1e5, ops=ops))
        for _ in range(10):
            child.push(0, [packet(2)] * 100)
        child.change("stop", 0)
        port = child.finish()[0]
    assert port.intended_packets == port.tx_packets + port.refused_packets + port.late_packets
    assert port.rx_packets == port.tx_packets > 1000
    assert (port.pushed_packets, port.pushed_bytes) == (1000, 64 * 1000)


def test_wrong_pushes_are_told() -> None:
    with GeneratorChild("ring:loop") as child:
        with pytest.raises(Refused, match="no packets to send"):
            child.push(0, [])
        with pytest.raises(Refused, match="packet 1 has 13 bytes; 14 to 1522 can be sent"):
            child.push(0, [packet(1), bytes(13)])
        with pytest.raises(Refused, match="there is no port 1"):
            child.push(1, [packet(1)])
        child.push(0, [packet(1)] * 3, gap_us=1e9, wait=False)
        with pytest.raises(Refused, match="port p0 still has [23] packets of an earlier push to send"):
            child.push(0, [packet(1)])
