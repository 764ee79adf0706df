"""Flows of the OTG model and equivalent T-Rex profiles, compared byte by byte."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from otg_api import add_flow, captured, stopped_ports, transmit, two_ports
from scapy.all import ICMP, IP, TCP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Packet, Raw
from scapy.contrib.mpls import MPLS
from scapy.layers.vxlan import VXLAN

from wirespeed.client.stateless_client import Multiplier, ProfileTarget, StatelessClient
from wirespeed.profiles.field_program import STLScVmRaw
from wirespeed.profiles.instructions import (
    STLVmFixChecksumHw,
    STLVmFixIcmpv6,
    STLVmFixIpv4,
    STLVmFlowVar,
    STLVmFlowVarRepeatableRandom,
    STLVmWrFlowVar,
    STLVmWrMaskFlowVar,
)
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.profiles.streams import STLStream, STLTXSingleBurst

MAC, PEER = "00:11:22:33:44:55", "00:11:22:33:44:66"


@dataclass(frozen=True)
class Twin:
    """The same packets described twice: by the model's headers, and by a T-Rex profile."""

    headers: Callable[[Any], None]
    packet: Packet
    program: list[Any]
    size: int = 128


def range_of(field: Any, start: Any, step: Any, count: int, down: bool = False) -> None:
    counter = field.decrement if down else field.increment
    counter.start, counter.step, counter.count = start, step, count


def ends(ethernet: Any, ip: Any, family: int = 4) -> None:
    ethernet.src.value, ethernet.dst.value = MAC, PEER
    ip.src.value, ip.dst.value = ("16.0.0.1", "48.0.0.1") if family == 4 else ("2001:db8::1", "2001:db8:1::1")


ETHER = Ether(src=MAC, dst=PEER)
IP4 = IP(src="16.0.0.1", dst="48.0.0.1", id=0)
IP6 = IPv6(src="2001:db8::1", dst="2001:db8:1::1", hlim=64)


def udp_lists(packet: Any) -> None:
    ethernet, ip, udp = packet.ethernet().ipv4().udp()
    ends(ethernet, ip)
    range_of(ip.src, "16.0.0.1", "0.0.0.1", 5)
    ip.dst.values = ["48.0.0.1", "48.0.0.9", "49.0.0.1"]
    udp.dst_port.value = 53


def vlan_stack(packet: Any) -> None:
    ethernet, outer, inner, ip, tcp = packet.ethernet().vlan().vlan().ipv4().tcp()
    ends(ethernet, ip)
    outer.id.value, outer.priority.value = 300, 5
    range_of(inner.id, 100, 1, 7, down=True)
    tcp.dst_port.value, tcp.window.value, tcp.ctl_syn.value = 80, 8192, 1
    tcp.src_port.random.min, tcp.src_port.random.max = 1000, 20_000
    tcp.src_port.random.count, tcp.src_port.random.seed = 6, 77


def mpls_stack(packet: Any) -> None:
    ethernet, outer, inner, ip, udp = packet.ethernet().mpls().mpls().ipv4().udp()
    ends(ethernet, ip)
    range_of(outer.label, 100, 2, 4)
    inner.label.value = 200
    udp.src_port.random.min, udp.src_port.random.max = 1000, 2000
    udp.src_port.random.count, udp.src_port.random.seed = 4, 9


def ip6_tcp(packet: Any) -> None:
    ethernet, ip, tcp = packet.ethernet().ipv6().tcp()
    ends(ethernet, ip, 6)
    range_of(ip.dst, "2001:db8:1::1", "::2", 5)
    range_of(tcp.dst_port, 90, 3, 4, down=True)
    tcp.src_port.value, tcp.window.value, tcp.ctl_ack.value = 1025, 8192, 1


def ip6_echo(packet: Any) -> None:
    ethernet, ip, icmp = packet.ethernet().ipv6().icmpv6()
    ends(ethernet, ip, 6)
    icmp.echo.identifier.value = 7
    range_of(icmp.echo.sequence_number, 1, 1, 9)


def echo(packet: Any) -> None:
    ethernet, ip, icmp = packet.ethernet().ipv4().icmp()
    ends(ethernet, ip)
    range_of(ip.dst, "48.0.0.1", "0.0.1.0", 3)
    icmp.echo.identifier.value, icmp.echo.sequence_number.value = 7, 3


def vxlan(packet: Any) -> None:
    ethernet, ip, udp, vxlan, inner_ethernet, inner, inner_udp = (
        packet.ethernet().ipv4().udp().vxlan().ethernet().ipv4().udp()
    )
    ends(ethernet, ip)
    inner_ethernet.src.value, inner_ethernet.dst.value = "02:00:00:00:00:01", "02:00:00:00:00:02"
    udp.src_port.value, udp.dst_port.value, vxlan.vni.value = 4789, 4789, 10
    inner.src.value, inner.dst.value = "10.0.0.1", "10.0.0.2"
    range_of(inner.src, "10.0.0.1", "0.0.0.1", 4)
    inner_udp.src_port.value, inner_udp.dst_port.value = 5, 6


def flow_var(name: str, size: int, low: Any, high: Any, step: int = 1, op: str = "inc") -> STLVmFlowVar:
    return STLVmFlowVar(name, min_value=low, max_value=high, size=size, op=op, step=step)


TWINS = {
    "udp, a range and a list": Twin(
        udp_lists,
        ETHER / IP4 / UDP(sport=0, dport=53),
        [
            flow_var("src", 4, "16.0.0.1", "16.0.0.5"),
            STLVmFlowVar("dst", value_list=["48.0.0.1", "48.0.0.9", "49.0.0.1"], size=4, op="inc"),
            STLVmWrFlowVar("src", "IP.src"),
            STLVmWrFlowVar("dst", "IP.dst"),
            STLVmFixChecksumHw("IP", "UDP", 11),
            STLVmFixIpv4("IP"),
        ],
    ),
    "tags in tags, downwards; tcp, random with a seed": Twin(
        vlan_stack,
        ETHER / Dot1Q(vlan=300, prio=5) / Dot1Q(vlan=100) / IP4 / TCP(sport=0, dport=80, flags="S", window=8192),
        [
            flow_var("vlan", 2, 94, 100, op="dec"),
            STLVmWrMaskFlowVar("vlan", 18, pkt_cast_size=2, mask=0xFFF),
            STLVmFlowVarRepeatableRandom("port", size=2, limit=6, seed=77, min_value=1000, max_value=20_000),
            STLVmWrFlowVar("port", "TCP.sport"),
            STLVmFixChecksumHw("IP", "TCP", 13),
        ],
    ),
    "labels": Twin(
        mpls_stack,
        ETHER / MPLS(label=100, s=0, ttl=64) / MPLS(label=200, s=1, ttl=64) / IP4 / UDP(sport=0, dport=0),
        [
            flow_var("label", 4, 100, 106, step=2),
            STLVmWrMaskFlowVar("label", 14, pkt_cast_size=4, mask=0xFFFFF000, shift=12),
            STLVmFlowVarRepeatableRandom("port", size=2, limit=4, seed=9, min_value=1000, max_value=2000),
            STLVmWrFlowVar("port", "UDP.sport"),
            STLVmFixChecksumHw("IP", "UDP", 11),
        ],
    ),
    "IPv6 with tcp": Twin(
        ip6_tcp,
        ETHER / IP6 / TCP(sport=1025, dport=90, flags="A", window=8192),
        [
            flow_var("dst", 8, 1, 9, step=2),
            STLVmWrFlowVar("dst", "IPv6.dst", offset_fixup=8),
            flow_var("port", 2, 81, 90, step=3, op="dec"),
            STLVmWrFlowVar("port", "TCP.dport"),
            STLVmFixChecksumHw("IPv6", "TCP", 13),
        ],
    ),
    "ICMPv6": Twin(
        ip6_echo,
        ETHER / IP6 / ICMPv6EchoRequest(id=7, seq=1),
        [
            flow_var("seq", 2, 1, 9),
            STLVmWrFlowVar("seq", 60),
            STLVmFixIcmpv6("IPv6", "ICMPv6 Echo Request"),
        ],
    ),
    "ICMP": Twin(
        echo,
        ETHER / IP4 / ICMP(id=7, seq=3),
        [
            STLVmFlowVar("dst", value_list=["48.0.0.1", "48.0.1.1", "48.0.2.1"], size=4, op="inc"),
            STLVmWrFlowVar("dst", "IP.dst"),
            STLVmFixIpv4("IP"),
        ],
    ),
    "VXLAN": Twin(
        vxlan,
        ETHER
        / IP4
        / UDP(sport=4789, dport=4789)
        / VXLAN(vni=10, flags=8)
        / Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
        / IP(src="10.0.0.1", dst="10.0.0.2", id=0)
        / UDP(sport=5, dport=6),
        [
            flow_var("src", 4, "10.0.0.1", "10.0.0.4"),
            STLVmWrFlowVar("src", "IP:1.src"),
            STLVmFixChecksumHw("IP:1", "UDP:1", 11),
            STLVmFixIpv4("IP:1"),
            STLVmFixChecksumHw("IP", "UDP", 11),
        ],
    ),
}


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
def test_a_flow_and_a_profile_send_the_same_bytes(api: Any, served: tuple[str, str], twin: Twin) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    twin.headers(flow.packet)
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = twin.size, 10_000, 40
    api.set_config(config)
    packet = twin.packet / Raw(bytes(twin.size - 4 - len(twin.packet)))
    builder = STLPktBuilder(packet, vm=STLScVmRaw(twin.program))
    stream = STLStream(packet=builder, mode=STLTXSingleBurst(total_pkts=40, pps=10_000))
    with StatelessClient(served[0]) as client:
        client.connect()
        by_otg = captured(client, lambda: transmit(api, "start"), 40)
        stopped_ports(api)
        api.set_config(api.config())

        def by_profile() -> None:
            client.take([0])
            client.load_streams(ProfileTarget(0), [{"stream_id": 1, "stream": stream.to_json()}])
            client.start_profiles([ProfileTarget(0)], Multiplier("raw", "abs", 1))

        expected = captured(client, by_profile, 40)
        client.reset([0])
        client.release([0])
    assert by_otg == expected
    assert len(set(by_otg)) > 2


def test_fields_advance_together_packet_by_packet(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    add_flow(config, packets=15).metrics.enable = False
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 15)
    stopped_ports(api)
    assert [Ether(one)[IP].src for one in packets[:6]] == [f"16.0.0.{last}" for last in (1, 2, 3, 4, 5, 1)]
    assert len(set(packets)) == 15
