"""Checksums and headers of flows of the OTG model on the wire, compared with scapy's."""

from __future__ import annotations

from typing import Any

import pytest
from otg_api import add_flow, captured, stopped, stopped_ports, transmit, two_ports
from scapy.all import ARP, GRE, ICMP, IP, TCP, UDP, Dot1Q, Ether, ICMPv6EchoRequest, IPv6, Raw
from scapy.layers.vxlan import VXLAN

from wirespeed.client.stateless_client import StatelessClient

MAC, PEER = "00:11:22:33:44:55", "00:11:22:33:44:66"
ETHER = Ether(src=MAC, dst=PEER)
IP4 = IP(src="16.0.0.1", dst="48.0.0.1", id=0)
IP6 = IPv6(src="2001:db8::1", dst="2001:db8:1::1", hlim=64)


def ends(ethernet: Any, ip: Any) -> None:
    ethernet.src.value, ethernet.dst.value = MAC, PEER
    ip.src.value, ip.dst.value = "16.0.0.1", "48.0.0.1"


def test_tags_and_sizes_that_change_leave_right_checksums(api: Any, served: tuple[str, str]) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    _, vlan, ip, udp = flow.packet.ethernet().vlan().ipv4().udp()
    vlan.id.decrement.start, vlan.id.decrement.step, vlan.id.decrement.count = 100, 1, 3
    vlan.priority.value = 5
    ip.priority.dscp.phb.value = 46
    udp.src_port.random.min, udp.src_port.random.max, udp.src_port.random.count = 1000, 2000, 4
    flow.size.increment.start, flow.size.increment.end, flow.size.increment.step = 64, 264, 100
    flow.rate.pps, flow.duration.fixed_packets.packets = 1000, 12
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 12)
    stopped_ports(api)
    assert [len(one) for one in packets[:4]] == [60, 160, 260, 60]
    assert [Ether(one)[Dot1Q].vlan for one in packets[:4]] == [100, 99, 98, 100]
    ports = [Ether(one)[UDP].sport for one in packets]
    assert ports[:4] * 3 == ports and all(1000 <= port <= 2000 for port in ports)
    for one in packets:
        layers = Ether(one)
        assert (layers[Dot1Q].prio, layers[IP].tos >> 2, layers[IP].len) == (5, 46, len(one) - 18)
        rebuilt = layers.copy()
        del rebuilt[IP].chksum, rebuilt[UDP].chksum
        assert bytes(rebuilt) == one


def varying(pattern: Any, start: Any, step: Any) -> None:
    pattern.increment.start, pattern.increment.step, pattern.increment.count = start, step, 3


def stack_ip6_tcp(packet: Any) -> None:
    _, ip, tcp = packet.ethernet().ipv6().tcp()
    ip.src.value = "2001:db8::1"
    varying(ip.dst, "2001:db8:1::1", "::1")
    tcp.ctl_syn.value, tcp.window.value = 1, 1000


def stack_ip6_icmp(packet: Any) -> None:
    _, ip, icmp = packet.ethernet().ipv6().icmpv6()
    varying(ip.src, "2001:db8:1::1", "::1")
    icmp.echo.identifier.value = 7


def stack_mpls(packet: Any) -> None:
    _, outer, inner, ip, tcp = packet.ethernet().mpls().mpls().ipv4().tcp()
    varying(outer.label, 100, 1)
    inner.label.value = 200
    varying(tcp.dst_port, 1, 1)
    ip.src.value, ip.dst.value = "16.0.0.1", "48.0.0.1"


def stack_icmp(packet: Any) -> None:
    _, _, ip, _ = packet.ethernet().vlan().ipv4().icmp()
    varying(ip.dst, "48.0.0.1", "0.0.1.0")


def stack_icmp_fields(packet: Any) -> None:
    _, _, icmp = packet.ethernet().ipv4().icmp()
    icmp.echo.identifier.values = [1, 70, 65535]
    varying(icmp.echo.sequence_number, 9, 300)


def stack_vxlan(packet: Any) -> None:
    _, _, udp, vxlan, _, inner, _ = packet.ethernet().ipv4().udp().vxlan().ethernet().ipv4().udp()
    udp.dst_port.value = 4789
    varying(vxlan.vni, 10, 1)
    varying(inner.src, "10.0.0.1", "0.0.0.1")


def checksums_worked_out(packet: bytes) -> bytes:
    """The same packet with all checksums computed by scapy."""
    layers = Ether(packet)
    for kind, field in ((IP, "chksum"), (UDP, "chksum"), (TCP, "chksum"), (ICMP, "chksum")):
        place = 1
        while (layer := layers.getlayer(kind, place)) is not None:
            delattr(layer, field)
            place += 1
    if ICMPv6EchoRequest in layers:
        del layers[ICMPv6EchoRequest].cksum
    return bytes(layers)


@pytest.mark.parametrize("stack", [stack_ip6_tcp, stack_ip6_icmp, stack_vxlan, None])
def test_checksums_cover_the_mark_of_flows_with_metrics(api: Any, served: tuple[str, str], stack: Any) -> None:
    config = two_ports(api)
    flow = add_flow(config, packets=6) if stack is None else config.flows.flow(name="f1")[-1]
    if stack is None:
        flow.packet[1].src.value, flow.packet[1].dst.value = "16.0.0.1", "48.0.0.1"  # nothing changes
    else:
        stack(flow.packet)
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 160, 1000, 6
    flow.metrics.enable = True
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 6)
    assert stopped(api)["f1"].frames_rx == 6
    assert packets[0][-16] == 0xAC  # first bytes of the mark
    assert [checksums_worked_out(one) for one in packets] == packets


def arp(packet: Any) -> None:
    ethernet, arp = packet.ethernet().arp()
    ethernet.src.value, ethernet.dst.value = MAC, "ff:ff:ff:ff:ff:ff"
    arp.sender_hardware_addr.value, arp.sender_protocol_addr.value = MAC, "10.0.0.1"
    arp.target_protocol_addr.value, arp.operation.value = "10.0.0.2", 2


def gre(packet: Any) -> None:
    ethernet, ip, _, inner = packet.ethernet().ipv4().gre().ipv6()
    ends(ethernet, ip)
    inner.src.value, inner.dst.value = "2001:db8::1", "2001:db8:1::1"


def old_tos(packet: Any) -> None:
    ethernet, ip, tcp = packet.ethernet().ipv4().tcp()
    ends(ethernet, ip)
    ip.priority.tos.precedence.value, ip.priority.tos.reliability.value = 5, 1
    tcp.ecn_echo.value, tcp.ecn_ns.value, tcp.ctl_fin.value = 1, 1, 1


def inner_addresses(packet: Any) -> None:
    ethernet, ip, udp, _, _, _ = packet.ethernet().ipv4().udp().vxlan().ethernet().ipv4()
    ends(ethernet, ip)
    udp.dst_port.value = 4789


SINGLE = {
    arp: Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(op=2, hwsrc=MAC, psrc="10.0.0.1", pdst="10.0.0.2"),
    gre: ETHER / IP4 / GRE() / IP6,
    old_tos: ETHER / IP(src="16.0.0.1", dst="48.0.0.1", id=0, tos=0xA4) / TCP(sport=0, dport=0, flags="FEN", window=0),
    inner_addresses: ETHER
    / IP4
    / UDP(sport=0, dport=4789)
    / VXLAN(flags=8)
    / Ether(src="00:00:00:00:00:00", dst="00:00:00:00:00:00")
    / IP(src="0.0.0.0", dst="0.0.0.0", id=0),
}


@pytest.mark.parametrize("headers", SINGLE)
def test_a_packet_is_the_one_that_scapy_builds(api: Any, served: tuple[str, str], headers: Any) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    headers(flow.packet)
    flow.size.fixed, flow.duration.fixed_packets.packets = 128, 1
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 1)
    stopped_ports(api)
    assert packets == [bytes(SINGLE[headers] / Raw(bytes(124 - len(SINGLE[headers]))))]


@pytest.mark.parametrize(
    "stack", [stack_ip6_tcp, stack_ip6_icmp, stack_mpls, stack_icmp, stack_icmp_fields, stack_vxlan]
)
def test_headers_that_change_leave_right_checksums(api: Any, served: tuple[str, str], stack: Any) -> None:
    config = two_ports(api)
    flow = config.flows.flow(name="f1")[-1]
    flow.tx_rx.port.tx_name, flow.tx_rx.port.rx_names = "p1", ["p2"]
    stack(flow.packet)
    flow.size.fixed, flow.rate.pps, flow.duration.fixed_packets.packets = 128, 1000, 6
    api.set_config(config)
    with StatelessClient(served[0]) as client:
        client.connect()
        packets = captured(client, lambda: transmit(api, "start"), 6)
    stopped_ports(api)
    assert packets[:3] == packets[3:] and len(set(packets)) == 3
    assert [checksums_worked_out(one) for one in packets] == packets
