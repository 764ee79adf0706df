"""Routes and neighbors of the router."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from wirespeed.seam.addresses import Address, Network


class PathKind(IntEnum):
    NEXT_HOP = 0
    ATTACHED = 1
    LOCAL = 2
    DROP = 3
    UNREACHABLE = 4
    PROHIBIT = 5
    LOOKUP = 6


class RouteSource(IntEnum):
    """Source of a route: the user, Linux, an address of the router, or the neighbor itself."""

    STATIC = 0
    LINUX = 1
    CONNECTED = 2
    NEIGHBOR = 3


@dataclass(frozen=True)
class LabelPipe:
    """TTL and class (EXP) of a pushed label, independent of the packet's own: RFC 3443's pipe model."""

    ttl: int = 255
    traffic_class: int = 0


@dataclass(frozen=True)
class Path:
    """One way a route may take. `interface` None: found by the route to `next_hop` in `table`.

    `labels` are pushed, the outermost first; PathKind.LOOKUP looks again in `table`.
    """

    kind: PathKind
    next_hop: Address | None = None
    interface: int | None = None
    weight: int = 1
    table: int = 0
    labels: tuple[int, ...] = ()
    pipes: tuple[LabelPipe | None, ...] = ()
    """Pipe of each label; None if the label has the packet's TTL and class (uniform model); empty if all have."""


@dataclass(frozen=True)
class Route:
    """`table` is the user's number of the table; 0 is the default table of the prefix's family."""

    prefix: Network
    paths: tuple[Path, ...]
    source: RouteSource = RouteSource.STATIC
    table: int = 0
    index: int = field(default=0, compare=False)
    """Index of its counter, for a route that was looked up."""

    @property
    def is_static(self) -> bool:
        return self.source is RouteSource.STATIC


class NeighborState(IntEnum):
    INCOMPLETE = 0
    REACHABLE = 1
    STATIC = 2
    STALE = 3
    PROBE = 4


@dataclass(frozen=True)
class Neighbor:
    interface: int
    address: Address
    mac: str
    state: NeighborState
    age_s: float


@dataclass(frozen=True)
class NeighborCounters:
    """Numbers of neighbors and their limits; `used` includes static ones and next hops of routes. Since the start:
    those evicted because they never answered, those refused for lack of room, and those deleted after three unanswered
    probes."""

    used: int = 0
    most: int = 0
    learnt: int = 0
    most_learnt: int = 0
    most_of_interface: int = 0
    recycled: int = 0
    refused_interface: int = 0
    refused_table: int = 0
    unanswered: int = 0


@dataclass(frozen=True)
class HeldPackets:
    """Packets that wait on one worker until the MAC address of their next hop is known; the first has waited
    `waiting_s`."""

    interface: int
    next_hop: Address
    worker: int
    packets: int
    waiting_s: float
