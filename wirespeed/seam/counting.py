"""Packet counts of routes and adjacencies."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag
from ipaddress import IPv4Address, IPv6Address


class Counting(IntFlag):
    """Counters that are switched on; none by default."""

    ROUTES = 1
    ADJACENCIES = 2


@dataclass(frozen=True)
class Counts:
    packets: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class RouteCounts:
    """Packets whose longest match was the route's prefix, and packets of other routes that resolved their next hop
    through it. Bytes count from the IP header on."""

    to: Counts = Counts()
    via: Counts = Counts()


@dataclass(frozen=True)
class Adjacency:
    """A next hop for packets of one type: `link` is ip4, ip6 or mpls. `rewrite` is the Ethernet header, None until the
    MAC address is known. Bytes of `counts` are those of frames."""

    index: int
    interface: int
    link: str
    next_hop: IPv4Address | IPv6Address
    mtu: int
    rewrite: bytes | None = None
    counts: Counts = Counts()
