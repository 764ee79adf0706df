"""Packets that routes and adjacencies count."""

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
    """Counts of packets whose longest match was the route's prefix, and of packets of other routes that found their
    next hop by it; bytes from the IP header on."""

    to: Counts = Counts()
    via: Counts = Counts()


@dataclass(frozen=True)
class Adjacency:
    """A next hop as one kind of packets is sent to it: `link` is ip4, ip6 or mpls. `rewrite` is the header of their
    frames, None until the MAC address is known; bytes of `counts` are those of frames."""

    index: int
    interface: int
    link: str
    next_hop: IPv4Address | IPv6Address
    mtu: int
    rewrite: bytes | None = None
    counts: Counts = Counts()
