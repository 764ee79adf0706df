"""Data of the real core that attribute lost packets to their cause."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from scapy.all import (
    ARP,
    ICMP,
    IP,
    LLC,
    STP,
    UDP,
    Dot1Q,
    Dot3,
    Ether,
    ICMPv6DestUnreach,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6PacketTooBig,
    ICMPv6TimeExceeded,
    IPerror,
    IPv6,
    Raw,
    UDPerror,
)

from wirespeed._native.generator import FrameKinds
from wirespeed._native.stream_records import Op, OpKind, Stream, VarKind
from wirespeed.seam.ports import PortMedium

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

from generator_child import GeneratorChild
from harness.stopping import stop_process
from harness.waiting import wait_for
from test_generator_core import assert_conserved, packet

LIVE = (Op(OpKind.VAR, size=4, var_kind=VarKind.RANDOM, max=0xFFFFFFFF), Op(OpKind.WRITE, size=4, offset=30))
AWAY_S = 0.3
ETHER = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
GROUP = Ether(src="02:00:00:00:00:01", dst="01:80:c2:00:00:0e")


def test_each_port_knows_its_medium(tmp_path: Path) -> None:
    ports = (f"memif:{tmp_path}/a.sock,role=server", "ring:loop", "null", f"pcap:,{tmp_path}/out.pcap")
    with GeneratorChild(*ports) as child:
        media = [child.medium(port) for port in range(len(ports))]
    assert media == [PortMedium.RING, PortMedium.RING, PortMedium.QUEUE, PortMedium.QUEUE]


@pytest.mark.alone
def test_what_is_asked_is_the_sum_of_what_became_of_it(tmp_path: Path) -> None:
    """For a ring that is drained, a memif without peer, and a port that takes all packets, overloaded."""
    ports = ("ring:loop", f"memif:{tmp_path}/alone.sock,role=server", "null")
    with GeneratorChild(*ports) as child:
        for port in range(len(ports)):
            child.start(port, Stream(1, packet(), rate_pps=5e7), Stream(2, packet(200), rate_pps=1e6, ops=LIVE))
        samples = child.samples(40, 0.01)
        for port in range(len(ports)):
            child.change("stop", port)
        last = child.snapshot()
    assert_conserved(*samples, last)
    for port in range(len(ports)):
        assert samples[-1].ports[port].intended_packets > samples[0].ports[port].intended_packets
    assert last.ports[1].refused_packets > 0 == last.ports[1].tx_packets


def test_frames_that_no_load_consists_of_are_counted_by_kind() -> None:
    lost = IPerror(src="16.0.0.1", dst="48.0.0.1") / UDPerror(sport=1025, dport=12)
    ip, ip6 = IP(src="10.0.0.1", dst="16.0.0.1"), IPv6(src="fe80::1", dst="fe80::2")
    by_kind = {
        "icmp_error": [
            ETHER / ip / ICMP(type=3, code=1) / lost,
            ETHER / ip / ICMP(type=11) / lost,
            ETHER / Dot1Q(vlan=7) / ip / ICMP(type=5) / lost,
        ],
        "icmp6_error": [
            ETHER / ip6 / ICMPv6DestUnreach() / Raw(b"x" * 48),
            ETHER / ip6 / ICMPv6PacketTooBig() / Raw(b"x" * 48),
            ETHER / Dot1Q(vlan=7) / Dot1Q(vlan=8) / ip6 / ICMPv6TimeExceeded() / Raw(b"x" * 48),
            ETHER / ip6 / ICMPv6DestUnreach(code=4) / Raw(b"x" * 48),
        ],
        "arp": [Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="10.0.0.2")],
        "nd": [ETHER / ip6 / ICMPv6ND_NS(tgt="fe80::2"), ETHER / ip6 / ICMPv6ND_NA(tgt="fe80::1")],
        "lldp": [GROUP / Raw(bytes.fromhex("0207040200000000010403040506060200780000"))] * 5,
        "control": [
            Dot3(src="02:00:00:00:00:01", dst="01:80:c2:00:00:00") / LLC() / STP(),
            Ether(src="02:00:00:00:00:01", dst="01:80:c2:00:00:02", type=0x8809) / Raw(bytes(46)),
        ],
        "none": [
            ETHER / ip / ICMP(type=8),
            ETHER / ip / ICMP(type=0),
            ETHER / ip / UDP(),
            ETHER / ip6 / ICMPv6EchoRequest(),
            ETHER / ip6 / UDP(),
            Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=0x8847) / Raw(b"\x00\x01\x01\x40" + bytes(42)),
        ],
    }
    for frame in by_kind["lldp"]:
        frame.type = 0x88CC
    sent = [bytes(frame) for frames in by_kind.values() for frame in frames]
    with GeneratorChild("ring:a", "ring:a") as child:
        child.push(0, sent)
        first = child.finish()
        child.start(0, Stream(1, packet(), rate_pps=1e5), duration_s=0.1)
        last = child.finish()
    assert first[1].rx_packets == len(sent)
    assert first[1].rx_kinds == FrameKinds(icmp_error=3, icmp6_error=4, arp=1, nd=2, lldp=5, control=2)
    assert last[1].rx_packets > first[1].rx_packets
    assert last[1].rx_kinds == first[1].rx_kinds
    assert last[0].rx_kinds == FrameKinds()


@pytest.mark.alone
def test_a_worker_that_was_stopped_was_preempted() -> None:
    with GeneratorChild("ring:loop") as child:
        before = child.snapshot().workers[0]
        stop_process(child.pid)
        time.sleep(AWAY_S)
        os.kill(child.pid, signal.SIGCONT)
        # The main thread may answer before the worker has run again.
        resumed = child.snapshot().workers[0].loops
        wait_for(lambda: child.snapshot().workers[0].loops >= resumed + 2, "two turns of the worker")
        after = child.snapshot().workers[0]
    assert after.preemptions > before.preemptions
    assert after.longest_preemption_s >= AWAY_S * 0.9
    assert after.preempted_s - before.preempted_s >= AWAY_S * 0.9


@pytest.mark.alone
def test_iterations_of_a_working_worker_are_not_preemptions() -> None:
    """Neither passes of a worker that has its CPU nor requests of the main thread count as preemptions."""
    with GeneratorChild("ring:a", "ring:a") as child:
        for port in (0, 1):
            child.start(port, Stream(1, packet(), rate_pps=5e7))
        first, *_, last = child.samples(100, 0.005)
    loops = last.workers[0].loops - first.workers[0].loops
    assert last.workers[0].preemptions - first.workers[0].preemptions < loops / 100
