"""What the router's control plane asks of its data plane: one protocol, and the records that cross it.

The native core is behind `wirespeed._native.router`, one that needs no DPDK is in `wirespeed.router.fake`. Interfaces
are numbered from 0 in the order they were given; workers from 0. Errors are those of `wirespeed.errors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Protocol

from wirespeed._native.runtime import PoolInfo, PortCounters, PortInfo, WorkerInfo


class Mode(IntEnum):
    L3 = 0
    XCONNECT = 1


class PathKind(IntEnum):
    NEXT_HOP = 0
    ATTACHED = 1
    LOCAL = 2
    DROP = 3


class NeighborState(IntEnum):
    INCOMPLETE = 0
    REACHABLE = 1
    STATIC = 2


@dataclass(frozen=True)
class Interface:
    """`xconnect_to` is an interface number, meaningful in Mode.XCONNECT."""

    name: str
    admin_up: bool
    mtu: int
    mac: str
    mode: Mode
    xconnect_to: int
    addresses: tuple[IPv4Interface, ...]


@dataclass(frozen=True)
class InterfaceCounters:
    """Summed over workers; bytes are frame bytes without FCS."""

    rx_packets: int = 0
    rx_bytes: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    drops: int = 0
    punts: int = 0
    ip4: int = 0
    rx_missed: int = 0
    rx_errors: int = 0
    rx_no_buffer: int = 0
    tx_errors: int = 0


@dataclass(frozen=True)
class Path:
    """One way a route may take. `interface` None: the connected one that covers `next_hop`."""

    kind: PathKind
    next_hop: IPv4Address | None = None
    interface: int | None = None
    weight: int = 1


@dataclass(frozen=True)
class Route:
    """`is_static` is False for what an address or a neighbour made."""

    prefix: IPv4Network
    paths: tuple[Path, ...]
    is_static: bool = True


@dataclass(frozen=True)
class Neighbor:
    interface: int
    address: IPv4Address
    mac: str
    state: NeighborState
    age_s: float


@dataclass(frozen=True)
class NodeStats:
    """One node on one worker, since the worker first started; the maximum is of its one dearest call."""

    name: str
    polling: bool
    calls: int
    vectors: int
    suspends: int
    clocks: int
    max_clocks: int = 0
    max_clocks_vectors: int = 0


@dataclass(frozen=True)
class NodeCounter:
    """One named counter of one node on one worker; what is no error is information."""

    node: str
    reason: str
    is_error: bool
    count: int


@dataclass(frozen=True)
class Totals:
    """What one worker moved since it first started."""

    rx_packets: int
    tx_packets: int
    drops: int
    punts: int
    loops: int


@dataclass(frozen=True)
class TraceStep:
    """A traced packet as it entered `node`; `data` starts at the Ethernet header and may be cut."""

    packet: int
    tsc: int
    node: str
    rx_interface: int
    tx_interface: int | None
    adjacency: int
    packet_len: int
    data: bytes


class RouterCore(Protocol):
    """The data plane of one router."""

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...

    def event_fd(self) -> int: ...
    def poll(self) -> int: ...
    def tsc(self) -> int: ...
    def tsc_hz(self) -> int: ...
    def march(self) -> int: ...
    def worker_count(self) -> int: ...
    def worker(self, worker: int) -> WorkerInfo: ...
    def pool(self) -> PoolInfo: ...
    def port(self, index: int) -> PortInfo: ...
    def port_counters(self, index: int) -> PortCounters: ...

    def interface_count(self) -> int: ...
    def interface(self, index: int) -> Interface: ...
    def interface_counters(self, index: int) -> InterfaceCounters: ...
    def set_state(self, index: int, up: bool) -> None: ...
    def set_mtu(self, index: int, mtu: int) -> None: ...
    def set_mac(self, index: int, mac: str) -> None: ...
    def set_promiscuous(self, index: int, on: bool) -> None: ...
    def set_xconnect(self, index: int, to: int) -> None: ...
    def set_l3(self, index: int) -> None: ...
    def add_address(self, index: int, address: IPv4Interface) -> None: ...
    def delete_address(self, index: int, address: IPv4Interface) -> None: ...
    def placement(self, index: int, queue: int) -> int: ...
    def set_placement(self, index: int, queue: int, worker: int) -> None:
        """Traffic pauses for a moment when the router runs."""

    def add_routes(self, first: Route, count: int) -> int:
        """Give the prefix and the `count` - 1 that follow it these paths, whatever they had; returns `count`."""

    def delete_routes(self, first: IPv4Network, count: int) -> int:
        """Returns how many of the `count` prefixes had a static route; UsageError when none had."""

    def route_count(self) -> int: ...
    def routes(self) -> Iterator[Route]:
        """In order of (address, length)."""

    def prefix_lengths(self) -> Counter[int]:
        """How many routes there are of each length."""

    def route(self, prefix: IPv4Network) -> Route | None:
        """The route of exactly this prefix."""

    def lookup(self, address: IPv4Address) -> Route | None:
        """The longest match."""

    def add_neighbor(self, interface: int, address: IPv4Address, mac: str) -> None: ...
    def delete_neighbor(self, interface: int, address: IPv4Address) -> None: ...
    def neighbors(self) -> Sequence[Neighbor]: ...

    def node_stats(self, worker: int) -> Sequence[NodeStats]: ...
    def node_counters(self, worker: int) -> Sequence[NodeCounter]: ...
    def totals(self, worker: int) -> Totals: ...

    def add_trace(self, node: str, count: int) -> None: ...
    def trace(self, worker: int) -> Sequence[TraceStep]: ...
    def clear_trace(self) -> None: ...
