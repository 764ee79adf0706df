"""Packets above 1500 bytes, for which `--mtu` sets up a medium."""

from __future__ import annotations

import os

import pytest
from generator_child import GeneratorChild, Refused
from harness.waiting import wait_for

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import MAX_PACKET_BYTES, Stream, StreamMode

HEADER = bytes.fromhex("ffffffffffff02000000000108004500000000010000401100000102030405060708")
VETH = """
ip link add v1 type veth peer name v2
for one in v1 v2; do
    echo 1 >/proc/sys/net/ipv6/conf/$one/disable_ipv6
    ip link set $one up
done
"""


def counted(length: int) -> Stream:
    packet = HEADER + bytes(length - len(HEADER))
    return Stream(
        1,
        packet,
        mode=StreamMode.SINGLE_BURST,
        packets=20,
        bursts=1,
        rate_pps=1000.0,
        flow_kind=FlowKind.STATS,
        flow_id=3,
    )


def carries(child: GeneratorChild, length: int) -> None:
    """All packets of this length arrive unchanged."""
    child.start(0, counted(length))
    wait_for(lambda: child.flow(FlowKind.STATS, 3)[1].rx_packets >= 20, "all packets")
    assert child.flow(FlowKind.STATS, 3)[1].rx_bytes == 20 * (length + 4)


def test_the_longest_packets_go_over_a_ring() -> None:
    with GeneratorChild("ring:a", "ring:a", memory_mb=384, mtu=9216) as child:
        carries(child, MAX_PACKET_BYTES)
        with pytest.raises(Refused, match="a packet of 9239 bytes; port p0 with its MTU of 9216 takes 9238"):
            child.start(0, counted(MAX_PACKET_BYTES + 1))


@pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")
def test_the_longest_packets_go_over_linux_interfaces() -> None:
    """The ring's slots are made for them, and the interfaces' own MTU is raised."""
    with GeneratorChild("af_packet:v1", "af_packet:v2", memory_mb=256, mtu=9216, netns=VETH) as child:
        carries(child, 9216 + 14)
