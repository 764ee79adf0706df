"""Who speaks IPv6 on a port's link: an echo request to all nodes, and the port's own address told to who asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address

from wirespeed.client.probes import capturing, frame, push, until
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.scapy_layers import (
    Ether,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    IPv6,
)

ALL_NODES = "ff02::1"
_ALL_NODES_MAC = "33:33:00:00:00:01"


@dataclass(frozen=True)
class Neighbor6:
    ip: str
    mac: str
    is_router: bool = False


def link_local(mac: str) -> str:
    """fe80::/64 with the modified EUI-64 of a MAC address (RFC 4291, appendix A)."""
    octets = bytes.fromhex(mac.replace(":", ""))
    interface = bytes([octets[0] ^ 2, *octets[1:3], 0xFF, 0xFE, *octets[3:]])
    return str(IPv6Address(bytes.fromhex("fe80000000000000") + interface))


def scan(
    client: StatelessClient, port: int, mac: str, ip: str, vlans: tuple[int, ...], wait_s: float
) -> Iterator[Neighbor6]:
    """Neighbours as they answer, each once (RFC 4443 section 4, RFC 4861 section 7.2)."""
    echo = IPv6(src=ip, dst=ALL_NODES, hlim=255) / ICMPv6EchoRequest(id=port + 1, seq=1)
    found: dict[str, Neighbor6] = {}
    with capturing(client, [], [port], "icmp6 or (vlan and icmp6)") as fetch:
        push(client, port, frame(_ALL_NODES_MAC, mac, vlans, echo))
        for one in until(fetch, wait_s):
            packet = Ether(one.packet)
            if one.origin != "RX" or IPv6 not in packet or packet.src == mac:
                continue
            if ICMPv6ND_NS in packet and packet[ICMPv6ND_NS].tgt == ip:
                advert = ICMPv6ND_NA(tgt=ip, R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=mac)
                answer = IPv6(src=ip, dst=packet[IPv6].src, hlim=255) / advert
                push(client, port, frame(packet.src, mac, vlans, answer))
            neighbor = _neighbor(packet)
            if neighbor is not None and neighbor.ip not in found:
                found[neighbor.ip] = neighbor
                yield neighbor


def _neighbor(packet: Ether) -> Neighbor6 | None:
    """Who sent the packet: by its echo reply, solicitation or advertisement; None for other packets."""
    source = str(packet[IPv6].src)
    if ICMPv6ND_NA in packet:
        return Neighbor6(source, str(packet.src), bool(packet[ICMPv6ND_NA].R))
    if (ICMPv6EchoReply in packet or ICMPv6ND_NS in packet) and source != "::":
        return Neighbor6(source, str(packet.src))
    return None
