"""Neighbours of a port that speak IPv6: found, resolved and pinged. Those that ask for the port's address are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.client.probes import WAIT_S, Layer3, capturing, frame, push, until
from wirespeed.client.stateless_client import StatelessClient
from wirespeed.scapy_layers import (
    Ether,
    ICMPv6EchoReply,
    ICMPv6EchoRequest,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptDstLLAddr,
    IPv6,
    Packet,
    Raw,
)

ALL_NODES = "ff02::1"
_ALL_NODES_MAC = "33:33:00:00:00:01"


@dataclass(frozen=True)
class Neighbor6:
    ip: str
    mac: str
    is_router: bool = False


def scan(client: StatelessClient, port: int, who: Layer3, wait_s: float) -> Iterator[Neighbor6]:
    """Neighbours as they answer, each once (RFC 4443 section 4, RFC 4861 section 7.2)."""
    echo = IPv6(src=who.src_ip, dst=ALL_NODES, hlim=255) / ICMPv6EchoRequest(id=port + 1, seq=1)
    by_ip: dict[str, Neighbor6] = {}
    with capturing(client, [], [port], "icmp6 or (vlan and icmp6)") as fetch:
        push(client, port, frame(_ALL_NODES_MAC, who.src_mac, who.vlans, echo))
        for one in until(fetch, wait_s):
            packet = Ether(one.packet)
            if one.origin != "RX" or IPv6 not in packet or packet.src == who.src_mac:
                continue
            _answer(client, port, who, packet)
            neighbor = _neighbor(packet)
            if neighbor is not None and neighbor.ip not in by_ip:
                by_ip[neighbor.ip] = neighbor
                yield neighbor


def _answer(client: StatelessClient, port: int, who: Layer3, packet: Ether) -> None:
    """Advertise the port's address where the packet asks for it."""
    if ICMPv6ND_NS in packet and packet[ICMPv6ND_NS].tgt == who.src_ip:
        advert = ICMPv6ND_NA(tgt=who.src_ip, R=0, S=1, O=1) / ICMPv6NDOptDstLLAddr(lladdr=who.src_mac)
        answer = IPv6(src=who.src_ip, dst=packet[IPv6].src, hlim=255) / advert
        push(client, port, frame(packet.src, who.src_mac, who.vlans, answer))


def ping6(
    client: StatelessClient, port: int, who: Layer3, sequence: int, frame_bytes: int, wait_s: float = WAIT_S
) -> float | None:
    """Seconds until the echo reply came, by the server's clock; None when none did (RFC 4443)."""
    echo: Packet = IPv6(src=who.src_ip, dst=who.dst_ip) / ICMPv6EchoRequest(id=port + 1, seq=sequence)
    request = frame(who.dst_mac, who.src_mac, who.vlans, echo)
    request /= Raw(b"x" * max(0, frame_bytes - 4 - len(request)))
    sent_s: float | None = None
    with capturing(client, [port], [port], "icmp6 or (vlan and icmp6)") as fetch:
        push(client, port, request)
        for captured in until(fetch, wait_s):
            packet = Ether(captured.packet)
            if captured.origin == "RX":
                _answer(client, port, who, packet)
            echoed = packet.getlayer(ICMPv6EchoRequest if captured.origin == "TX" else ICMPv6EchoReply)
            if echoed is None or (echoed.id, echoed.seq) != (port + 1, sequence):
                continue
            if captured.origin == "TX":
                sent_s = captured.at_s
            elif sent_s is not None:
                return captured.at_s - sent_s
    return None


def _neighbor(packet: Ether) -> Neighbor6 | None:
    """Sender of an echo reply, solicitation or advertisement; None for other packets."""
    source = str(packet[IPv6].src)
    if ICMPv6ND_NA in packet:
        return Neighbor6(source, str(packet.src), bool(packet[ICMPv6ND_NA].R))
    if (ICMPv6EchoReply in packet or ICMPv6ND_NS in packet) and source != "::":
        return Neighbor6(source, str(packet.src))
    return None
