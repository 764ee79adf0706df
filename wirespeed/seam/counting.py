"""What the control plane asks of the data plane about packets that routes and adjacencies count."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag
from ipaddress import IPv4Address, IPv6Address
from typing import Protocol


class Counting(IntFlag):
    """What counts; none unless it is switched on."""

    ROUTES = 1
    ADJACENCIES = 2


@dataclass(frozen=True)
class Counts:
    packets: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class RouteCounts:
    """Of packets that the route's prefix was the longest match of, and of those of other routes that found their next
    hop by it; bytes from the IP header on."""

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


class CountingCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`."""

    def set_counting(self, what: Counting, on: bool) -> None:
        """All begins at 0 when it is switched on."""

    def counting(self) -> Counting: ...
    def route_counts(self, index: int) -> RouteCounts:
        """Of the route with that index; UsageError while routes do not count."""

    def adjacencies(self) -> Sequence[Adjacency]:
        """In order of index."""
