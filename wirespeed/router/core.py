"""What the router's control plane asks of its data plane: one protocol, whose records lie beside it.

The native core is behind `wirespeed.router.native`, one that needs no DPDK is in `fake_router`. Interfaces
have numbers: those of ports from 0 in the order they were given, further ones as the core likes, and deleted ones leave
holes. Workers are numbered from 0. Errors are those of `wirespeed.errors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from wirespeed.model import PortSpec
from wirespeed.seam.acl import AclCore
from wirespeed.seam.acl_session import AclSessionCore
from wirespeed.seam.addresses import Address, InterfaceAddress, Network
from wirespeed.seam.counting import CountingCore
from wirespeed.seam.graph import (
    CaptureConfig,
    CaptureStatus,
    Feature,
    NodeCounter,
    NodeEdge,
    NodeStats,
    Totals,
    TraceStep,
)
from wirespeed.seam.interfaces import (
    BridgeDomain,
    Interface,
    InterfaceCounters,
    L2FibEntry,
    MtuKind,
    RxMode,
    SubInterface,
    TagRewrite,
)
from wirespeed.seam.ip6 import Ip6Core
from wirespeed.seam.ports import PoolInfo, PortCounters, PortDevice, PortInfo, RxStart, WorkerInfo
from wirespeed.seam.routes import HeldPackets, Neighbor, NeighborCounters, Path, Route, RouteSource
from wirespeed.seam.tables import TablesCore

if TYPE_CHECKING:
    from wirespeed.router.features.bond.native import BondCore
    from wirespeed.router.features.impairment.native import ImpairmentCore
    from wirespeed.router.features.lcp.native import LcpCore
    from wirespeed.router.features.punt.native import PuntCore
    from wirespeed.router.features.sflow.native import SflowCore
    from wirespeed.router.features.urpf.native import UrpfCore
    from wirespeed.router.features.vxlan.native import VxlanCore


class RouterCore(
    AclCore,
    AclSessionCore,
    CountingCore,
    Ip6Core,
    TablesCore,
    Protocol,
):
    """The data plane of one router; features are attributes by their names."""

    bond: BondCore
    impairment: ImpairmentCore
    lcp: LcpCore
    punt: PuntCore
    sflow: SflowCore
    urpf: UrpfCore
    vxlan: VxlanCore

    def start(self) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...

    def event_fd(self) -> int: ...
    def poll(self) -> int: ...
    def links_fd(self) -> int:
        """Readable when `follow_links` has something to do; what no driver tells of, `poll` finds."""

    def follow_links(self) -> Sequence[int]:
        """The ports whose device was taken out since the last call; the core has let go of them."""

    def tsc(self) -> int: ...
    def tsc_hz(self) -> int: ...
    def march(self) -> int: ...
    def worker_count(self) -> int: ...
    def worker(self, worker: int) -> WorkerInfo: ...
    def pools(self) -> tuple[PoolInfo, ...]: ...
    def port(self, index: int) -> PortInfo: ...
    def port_device(self, index: int) -> PortDevice | None:
        """None of a port that none of DPDK's drivers makes."""

    def port_counters(self, index: int) -> PortCounters: ...

    def interface_names(self) -> dict[str, int]:
        """The number of each interface by its name: ports, each followed by its sub-interfaces, then loopbacks."""

    def interface_index(self, name: str) -> int | None:
        """The number of one; None when there is none of that name."""

    def add_port(self, name: str, spec: PortSpec, rx_start: RxStart = RxStart.AT_ONCE) -> int:
        """Open one more port and make it an interface. Those that make an interface return its number."""

    def start_reception(self, index: int) -> None:
        """Receive from a port whose reception waits; UsageError when it does not."""

    def add_loopback(self, instance: int, mac: str | None) -> int: ...
    def add_subinterface(self, parent: int, sub: SubInterface) -> int: ...
    def delete_interface(self, index: int) -> None:
        """UsageError while something else than its own addresses and neighbors needs it."""

    def interface(self, index: int) -> Interface: ...
    def interface_counters(self, index: int) -> InterfaceCounters: ...
    def set_state(self, index: int, up: bool) -> None: ...
    def set_mtu(self, index: int, mtu: int) -> None:
        """Of a port: what it carries, and what routing sends; of others, the latter."""

    def set_protocol_mtu(self, index: int, kind: MtuKind, mtu: int) -> None:
        """Not of `MtuKind.L2`; 0: the same as for `MtuKind.L3`."""

    def set_unnumbered(self, index: int, of: int | None) -> None:
        """Use the addresses of `of` in place of own ones; None: no longer."""

    def set_mac(self, index: int, mac: str) -> None: ...
    def set_promiscuous(self, index: int, on: bool) -> None: ...
    def set_xconnect(self, index: int, to: int) -> None: ...
    def set_bridge(self, index: int, domain: int, bvi: bool, split_horizon_group: int) -> None:
        """Make the bridge domain if need be."""

    def set_l3(self, index: int) -> None: ...
    def set_tag_rewrite(self, index: int, rewrite: TagRewrite) -> None: ...
    def set_bridge_domain(self, domain: BridgeDomain) -> None:
        """Make or change it; its BVI stays what it is."""

    def delete_bridge_domain(self, ident: int) -> None: ...
    def bridge_domains(self) -> Sequence[BridgeDomain]: ...
    def add_l2fib(self, entry: L2FibEntry) -> None: ...
    def delete_l2fib(self, domain: int, mac: str) -> None: ...
    def flush_l2fib(self) -> None:
        """Forget all that was learnt."""

    def l2fib(self) -> Sequence[L2FibEntry]: ...
    def add_address(self, index: int, address: InterfaceAddress) -> None: ...
    def delete_address(self, index: int, address: InterfaceAddress) -> None: ...
    def placement(self, index: int, queue: int) -> int: ...
    def set_placement(self, index: int, queue: int, worker: int) -> None:
        """Traffic pauses for a moment when the router runs."""

    def handoff(self, index: int) -> tuple[int, ...]:
        """The workers that the port's packets are handed to by flow; none: they stay where they are polled."""

    def set_handoff(self, index: int, workers: Sequence[int], symmetrical: bool) -> None: ...
    def rx_mode(self, index: int, queue: int) -> RxMode: ...
    def set_rx_mode(self, index: int, queue: int, mode: RxMode) -> None: ...
    def add_routes(self, first: Route, count: int) -> int:
        """Give the prefix and the `count` - 1 that follow it these paths, whatever they had; returns `count`."""

    def delete_routes(self, first: Network, count: int, table: int = 0) -> int:
        """Returns how many of the `count` prefixes had a static route; UsageError when none had."""

    def route_count(self, version: int = 4, table: int = 0) -> int: ...
    def route_texts(self, version: int = 4, table: int = 0) -> Iterator[tuple[str, tuple[Path, ...], int, RouteSource]]:
        """Of all routes in order of (address, length): the prefix, its paths, which are one object for all routes that
        share them, what it is counted by, and who made it."""

    def prefix_lengths(self, version: int = 4, table: int = 0) -> Counter[int]:
        """How many routes there are of each length."""

    def route(self, prefix: Network, table: int = 0) -> Route | None:
        """The route of exactly this prefix."""

    def lookup(self, address: Address, table: int = 0) -> Route | None:
        """The longest match."""

    def add_neighbor(self, interface: int, address: Address, mac: str) -> None: ...
    def delete_neighbor(self, interface: int, address: Address) -> None: ...
    def neighbors(self) -> Sequence[Neighbor]: ...
    def neighbor_counters(self) -> NeighborCounters: ...
    def held_packets(self) -> Sequence[HeldPackets]: ...

    def node_stats(self, worker: int) -> Sequence[NodeStats]: ...
    def node_edges(self, worker: int) -> Sequence[NodeEdge]: ...
    def features(self) -> Sequence[Feature]: ...
    def node_counters(self, worker: int) -> Sequence[NodeCounter]: ...
    def clear_maxima(self) -> None:
        """Forget the dearest call of every node."""

    def totals(self, worker: int) -> Totals: ...

    def add_trace(self, node: str, count: int) -> None: ...
    def trace(self, worker: int) -> Sequence[TraceStep]: ...
    def clear_trace(self) -> None: ...
    def filter_trace(self, prefix: Network | None) -> None:
        """Trace only packets with a source or destination in the prefix."""

    def start_capture(self, config: CaptureConfig, fd: int) -> None:
        """Write a pcap file to a copy of the descriptor; UsageError when a capture is on already."""

    def capture_status(self) -> CaptureStatus: ...
    def stop_capture(self) -> CaptureStatus:
        """Returns how it ended; UsageError when none is on."""
