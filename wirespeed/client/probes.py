"""Packets that ask something of the network: ARP, neighbor discovery, ping, and which port is wired to which.

They are pushed by the server and their answers captured there, so nothing is measured by this machine's clock.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address

from wirespeed.client.stateless_client import Pushed, StatelessClient
from wirespeed.scapy_layers import (
    ARP,
    ICMP,
    IP,
    Dot1Q,
    Ether,
    ICMPv6ND_NA,
    ICMPv6ND_NS,
    ICMPv6NDOptSrcLLAddr,
    IPv6,
    Packet,
    Raw,
)

WAIT_S = 1.0
_POLL_S = 0.02
_LIMIT = 1000
_EXPERIMENTAL = 0x88B5
"""IEEE 802 local experimental Ethertype: switches forward it, routers drop it."""


@dataclass(frozen=True)
class CapturedProbe:
    """`at_s` is of the server's clock; `origin` is TX or RX."""

    port: int
    origin: str
    at_s: float
    packet: bytes


@dataclass(frozen=True)
class Layer3:
    """Addresses of a port in IPv4 mode; `dst_mac` is that of its neighbour once resolved."""

    src_mac: str
    dst_mac: str
    src_ip: str
    dst_ip: str
    vlans: tuple[int, ...] = ()


@contextmanager
def capturing(
    client: StatelessClient, tx: Sequence[int], rx: Sequence[int], bpf: str
) -> Iterator[Callable[[], list[CapturedProbe]]]:
    """A capture during the block. The yielded function returns the packets since its last call."""
    started = client.capture("start", limit=_LIMIT, mode="fixed", tx=list(tx), rx=list(rx), filter=bpf)
    identity = int(started["capture_id"])

    def fetch() -> list[CapturedProbe]:
        answer = client.capture("fetch", capture_id=identity, pkt_limit=50, snaplen=0)
        return [
            CapturedProbe(int(one["port"]), str(one["origin"]), float(one["ts"]), base64.b64decode(one["binary"]))
            for one in answer.get("pkts") or ()
        ]

    try:
        yield fetch
    finally:
        client.capture("remove", capture_id=identity)


def push(client: StatelessClient, port: int, packet: Packet) -> None:
    client.push_packets(port, [Pushed(bytes(packet))])


def _tagged(vlans: Sequence[int]) -> Packet | None:
    tags = None
    for vlan in vlans:
        tags = Dot1Q(vlan=vlan) if tags is None else tags / Dot1Q(vlan=vlan)
    return tags


def frame(dst: str, src: str, vlans: Sequence[int], inner: Packet) -> Packet:
    tags, ether = _tagged(vlans), Ether(dst=dst, src=src)
    return ether / inner if tags is None else ether / tags / inner


def resolve(client: StatelessClient, port: int, who: Layer3, wait_s: float = WAIT_S) -> str | None:
    """The MAC address that answers for `who.dst_ip`, None without an answer (RFC 826)."""
    request = frame(
        "ff:ff:ff:ff:ff:ff", who.src_mac, who.vlans, ARP(op=1, hwsrc=who.src_mac, psrc=who.src_ip, pdst=who.dst_ip)
    )

    def answer(one: CapturedProbe) -> str | None:
        arp = Ether(one.packet).getlayer(ARP)
        if one.origin == "RX" and arp is not None and arp.op == 2 and arp.psrc == who.dst_ip:
            return str(arp.hwsrc)
        return None

    with capturing(client, [], [port], "arp or (vlan and arp)") as fetch:
        push(client, port, request)
        return next((mac for one in until(fetch, wait_s) if (mac := answer(one))), None)


def resolve6(client: StatelessClient, port: int, who: Layer3, wait_s: float = WAIT_S) -> str | None:
    """The MAC address that answers for `who.dst_ip`, None without an answer (RFC 4861)."""
    group = int(IPv6Address(who.dst_ip)) & 0xFF_FFFF | int(IPv6Address("ff02::1:ff00:0"))
    asked = ICMPv6ND_NS(tgt=who.dst_ip) / ICMPv6NDOptSrcLLAddr(lladdr=who.src_mac)
    solicitation = IPv6(src=who.src_ip, dst=str(IPv6Address(group)), hlim=255) / asked
    group_mac = "33:33:" + (group & 0xFFFF_FFFF).to_bytes(4).hex(":")
    with capturing(client, [], [port], "icmp6 or (vlan and icmp6)") as fetch:
        push(client, port, frame(group_mac, who.src_mac, who.vlans, solicitation))
        for one in until(fetch, wait_s):
            packet = Ether(one.packet)
            if one.origin == "RX" and ICMPv6ND_NA in packet and packet[ICMPv6ND_NA].tgt == who.dst_ip:
                return str(packet.src)
    return None


def ping(
    client: StatelessClient, port: int, who: Layer3, sequence: int, frame_bytes: int, wait_s: float = WAIT_S
) -> float | None:
    """Seconds until the echo reply came, by the server's clock; None when none did (RFC 792)."""
    echo = IP(src=who.src_ip, dst=who.dst_ip) / ICMP(type=8, id=port + 1, seq=sequence)
    request = frame(who.dst_mac, who.src_mac, who.vlans, echo)
    request /= Raw(b"x" * max(0, frame_bytes - 4 - len(request)))
    sent_s: float | None = None
    with capturing(client, [port], [port], "icmp or (vlan and icmp)") as fetch:
        push(client, port, request)
        for captured in until(fetch, wait_s):
            packet = Ether(captured.packet)
            icmp = packet.getlayer(ICMP)
            if icmp is None or (icmp.id, icmp.seq) != (port + 1, sequence):
                continue
            if captured.origin == "TX" and icmp.type == 8:
                sent_s = captured.at_s
            elif captured.origin == "RX" and icmp.type == 0 and sent_s is not None:
                return captured.at_s - sent_s
    return None


def find_peers(client: StatelessClient, macs: Mapping[int, str], wait_s: float = WAIT_S) -> dict[int, int | None]:
    """For each port the port at which its packets arrive; None if they arrive nowhere, as behind a router."""
    peers: dict[int, int | None] = dict.fromkeys(macs)
    with capturing(client, [], list(macs), "") as fetch:
        for port, mac in macs.items():
            probe = Ether(dst="ff:ff:ff:ff:ff:ff", src=mac, type=_EXPERIMENTAL) / Raw(bytes([port]) * 46)
            push(client, port, probe)
        for one in until(fetch, wait_s):
            packet = Ether(one.packet)
            if one.origin == "RX" and packet.type == _EXPERIMENTAL and len(one.packet) > 14:
                peers[one.packet[14]] = one.port
            if all(peer is not None for peer in peers.values()):
                break
    return peers


def until(fetch: Callable[[], list[CapturedProbe]], wait_s: float) -> Iterator[CapturedProbe]:
    deadline = time.monotonic() + wait_s
    while True:
        yield from sorted(fetch(), key=lambda one: one.at_s)
        if time.monotonic() >= deadline:
            return
        time.sleep(_POLL_S)
