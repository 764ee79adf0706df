"""The native router: records in, records out, one call each."""

from __future__ import annotations

import errno
import itertools
import socket
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path as FilePath
from struct import Struct
from typing import TYPE_CHECKING, Any

from wirespeed._native import runtime
from wirespeed._native.addresses import address_struct, network_of, prefix_struct, read_address, read_prefix
from wirespeed._native.counting import RouteCounters
from wirespeed._native.ip6 import Ip6
from wirespeed._native.paths import fill_paths, read_paths
from wirespeed._native.runtime import Handle, check, core, format_mac, from_struct
from wirespeed._native.tables import Tables
from wirespeed.errors import UsageError
from wirespeed.model import PortSpec, mac_bytes
from wirespeed.router.features import core_of, modules
from wirespeed.seam.addresses import Address, InterfaceAddress, Network
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
    InterfaceCounters,
    InterfaceKind,
    Mode,
    MtuKind,
    RouterInterface,
    RxMode,
    SubInterface,
    TagRewrite,
)
from wirespeed.seam.ports import PoolInfo, PortCounters, PortDevice, PortInfo, RxStart, WorkerInfo
from wirespeed.seam.routes import HeldPackets, Neighbor, NeighborCounters, NeighborState, Path, Route, RouteSource

if TYPE_CHECKING:
    from wirespeed.router.features.acl.native import AclCore
    from wirespeed.router.features.bond.native import BondCore
    from wirespeed.router.features.impairment.native import ImpairmentCore
    from wirespeed.router.features.l2.native import L2Core
    from wirespeed.router.features.lcp.native import LcpCore
    from wirespeed.router.features.mpls.native import MplsCore
    from wirespeed.router.features.punt.native import PuntCore
    from wirespeed.router.features.sflow.native import SflowCore
    from wirespeed.router.features.urpf.native import UrpfCore
    from wirespeed.router.features.vxlan.native import VxlanCore

_ROUTES_PAGE = 4096
# struct ws_route_entry: address, length, numbers of its paths and of the route; family and source are left out.
_ENTRY = Struct("=x16sB2xiII")
_NEIGHBORS_PAGE = 1024
_TRACE_PAGE = 1024
_MOST_FEATURES = 256


class NativeRouter:
    """One router on the ports of this process; `runtime.start_runtime` and `open_ports` come before.

    Interfaces have numbers: those of ports from 0 in the order they were given, further ones as the core likes, and
    deleted ones leave holes. Workers are numbered from 0. Features are attributes by their names. Raises what
    `runtime.check` raises. `close` ends the runtime as well.
    """

    acl: AclCore
    bond: BondCore
    impairment: ImpairmentCore
    l2: L2Core
    lcp: LcpCore
    mpls: MplsCore
    punt: PuntCore
    sflow: SflowCore
    urpf: UrpfCore
    vxlan: VxlanCore

    def __init__(
        self,
        worker_count: int,
        max_routes: int = 0,
        max_ip6_routes: int = 0,
        max_neighbors: int = 0,
        max_interface_neighbors: int = 0,
        *,
        max_path_sets: int = 0,
        polls_eagerly: bool = False,
        stats_path: FilePath | None = None,
        stats_max_kb: int = 0,
        stats_interval_s: float = 1.0,
        stats_nodes: bool = True,
    ) -> None:
        self._ffi, self._lib = core().ffi, core().lib
        config = self._ffi.new("struct ws_router_config *")
        config.max_ip4_routes, config.max_ip6_routes = max_routes, max_ip6_routes
        config.max_neighbors, config.max_interface_neighbors = max_neighbors, max_interface_neighbors
        config.max_path_sets = max_path_sets
        config.polls_eagerly = polls_eagerly
        path = str(stats_path or "").encode()
        if len(path) >= self._lib.WS_DEVARGS_LEN:
            raise UsageError(f"statistics file {stats_path}: a path has at most {self._lib.WS_DEVARGS_LEN - 1} bytes")
        config.stats_path = path
        config.stats_max_kb = stats_max_kb
        config.stats_interval_ms = max(1, round(stats_interval_s * 1000))
        config.stats_without_nodes = not stats_nodes
        self._router = self._lib.ws_router_create(config)
        if not self._router:
            # A pointer says no more than that it failed; the reason is in ws_error().
            check(-errno.ENOMEM)
        handle = Handle(self._ffi, self._lib, self._router)
        self.counting, self.ip6, self.tables = RouteCounters(handle), Ip6(handle), Tables(handle)
        self._workers = worker_count
        self._gone = self._ffi.new("uint16_t[]", self._lib.WS_MAX_PORTS)
        self._names = self._ffi.new("struct ws_interface_name[]", self._lib.WS_MAX_INTERFACES)
        # The names of devices of ports added later; those there at the start are numbered below.
        self._serials = itertools.count(self._lib.WS_MAX_PORTS)
        self._stats = _Block(self._router, "struct ws_node_stats[]", self._lib.ws_router_node_stats)
        self._edges = _Block(self._router, "struct ws_node_edge[]", self._lib.ws_router_node_edges)
        self._counters = _Block(self._router, "struct ws_node_counter[]", self._lib.ws_router_node_counters)

    def __getattr__(self, name: str) -> Any:
        """The part of the feature `name`, made when it is first used."""
        part = core_of(name)(Handle(self._ffi, self._lib, self._router))
        setattr(self, name, part)
        return part

    def start(self) -> None:
        check(self._lib.ws_router_start(self._router))

    def stop(self) -> None:
        self._lib.ws_router_stop(self._router)

    def close(self) -> None:
        self.stop()
        self._lib.ws_router_destroy(self._router)
        runtime.close()

    def event_fd(self) -> int:
        return check(self._lib.ws_router_event_fd(self._router))

    def links_fd(self) -> int:
        """Readable when `follow_links` has something to do; `poll` finds changes that no driver signals."""
        return check(self._lib.ws_links_fd())

    def follow_links(self) -> tuple[int, ...]:
        """The ports whose device was taken out since the last call; the core has let go of them."""
        count = self._lib.ws_router_follow_links(self._router, self._gone)
        return tuple(self._gone[i] for i in range(count))

    def poll(self) -> int:
        return check(self._lib.ws_router_poll(self._router))

    def tsc(self) -> int:
        return int(self._lib.ws_tsc())

    def tsc_hz(self) -> int:
        return int(self._lib.ws_tsc_hz())

    def march(self) -> int:
        return int(self._lib.ws_march())

    def worker_count(self) -> int:
        return self._workers

    def worker(self, worker: int) -> WorkerInfo:
        return runtime.worker_info(worker)

    def pools(self) -> tuple[PoolInfo, ...]:
        return runtime.pools()

    def port(self, index: int) -> PortInfo:
        return runtime.port_info(index)

    def port_device(self, index: int) -> PortDevice | None:
        """None of a port that none of DPDK's drivers makes."""
        return runtime.port_device(index)

    def port_counters(self, index: int) -> PortCounters:
        return runtime.port_counters(index)

    def interface_names(self) -> dict[str, int]:
        """The number of each interface by its name: ports, each followed by its sub-interfaces, then loopbacks."""
        found = check(self._lib.ws_router_interfaces(self._router, self._names, len(self._names)))
        return {self._ffi.string(entry.name).decode(): entry.index for entry in self._names[0:found]}

    def interface_index(self, name: str) -> int | None:
        """The number of one; None when there is none of that name."""
        if "\0" in name:
            return None
        index = self._lib.ws_router_interface_find(self._router, name.encode(errors="replace"))
        return None if index < 0 else int(index)

    def add_port(self, name: str, spec: PortSpec, rx_start: RxStart = RxStart.AT_ONCE) -> int:
        """Open one more port and make it an interface. Those that make an interface return its number."""
        number = next(self._serials)
        config = runtime.port_config(spec, name, number, min_tx_queues=self._workers, rx_start=rx_start)
        return check(self._lib.ws_router_port_add(self._router, config))

    def start_reception(self, index: int) -> None:
        """Receive from a port whose reception waits; UsageError when it does not."""
        check(self._lib.ws_port_start_rx(index))

    def add_loopback(self, instance: int, mac: str | None) -> int:
        given = self._ffi.NULL if mac is None else mac_bytes(mac)
        return check(self._lib.ws_router_loopback_add(self._router, instance, given))

    def add_subinterface(self, parent: int, sub: SubInterface) -> int:
        struct = self._ffi.new("struct ws_subinterface *", astuple(sub))
        return check(self._lib.ws_router_subinterface_add(self._router, parent, struct))

    def delete_interface(self, index: int) -> None:
        """UsageError while something else than its own addresses and neighbors needs it."""
        check(self._lib.ws_router_interface_delete(self._router, index))

    def interface(self, index: int) -> RouterInterface:
        struct = self._ffi.new("struct ws_interface *")
        check(self._lib.ws_router_interface(self._router, index, struct))
        addresses = (struct.addresses[i] for i in range(struct.address_count))
        return from_struct(
            RouterInterface,
            struct,
            mode=Mode(struct.mode),
            kind=InterfaceKind(struct.kind),
            tag_rewrite=_tag_rewrite(struct.tag_rewrite),
            mtus=tuple(struct.mtus),
            unnumbered_of=_number(struct.unnumbered_of),
            sub=from_struct(SubInterface, struct.sub) if struct.kind == InterfaceKind.SUB else None,
            addresses=tuple(read_prefix(a) for a in addresses),
        )

    def interface_counters(self, index: int) -> InterfaceCounters:
        struct = self._ffi.new("struct ws_interface_counters *")
        check(self._lib.ws_router_interface_counters(self._router, index, struct))
        return from_struct(InterfaceCounters, struct)

    def set_state(self, index: int, up: bool) -> None:
        check(self._lib.ws_router_set_state(self._router, index, up))

    def set_mtu(self, index: int, mtu: int) -> None:
        """Set the MTU: of a port, both the driver's and that of routing; of other interfaces, that of routing."""
        check(self._lib.ws_router_set_mtu(self._router, index, mtu))

    def set_protocol_mtu(self, index: int, kind: MtuKind, mtu: int) -> None:
        """Not of `MtuKind.L2`; 0: the same as for `MtuKind.L3`."""
        check(self._lib.ws_router_set_protocol_mtu(self._router, index, kind, mtu))

    def set_unnumbered(self, index: int, of: int | None) -> None:
        """Use the addresses of `of` in place of own ones; None: no longer."""
        check(self._lib.ws_router_set_unnumbered(self._router, index, -1 if of is None else of))

    def set_mac(self, index: int, mac: str) -> None:
        check(self._lib.ws_router_set_mac(self._router, index, mac_bytes(mac)))

    def set_promiscuous(self, index: int, on: bool) -> None:
        check(self._lib.ws_router_set_promiscuous(self._router, index, on))

    def add_address(self, index: int, address: InterfaceAddress) -> None:
        check(
            self._lib.ws_router_address_add(
                self._router, index, prefix_struct(self._ffi, address.ip, address.network.prefixlen)
            )
        )

    def delete_address(self, index: int, address: InterfaceAddress) -> None:
        check(
            self._lib.ws_router_address_del(
                self._router, index, prefix_struct(self._ffi, address.ip, address.network.prefixlen)
            )
        )

    def placement(self, index: int, queue: int) -> int:
        return check(self._lib.ws_router_placement(self._router, index, queue))

    def set_placement(self, index: int, queue: int, worker: int) -> None:
        """Traffic pauses for a moment when the router runs."""
        check(self._lib.ws_router_set_placement(self._router, index, queue, worker))

    def handoff(self, index: int) -> tuple[int, ...]:
        """The workers that the port's packets are handed to by flow; none: they stay where they are polled."""
        workers = self._ffi.new("uint16_t[]", self._lib.WS_MAX_WORKERS)
        return tuple(workers[0 : check(self._lib.ws_router_handoff(self._router, index, workers, len(workers)))])

    def set_handoff(self, index: int, workers: Sequence[int], symmetrical: bool) -> None:
        check(self._lib.ws_router_set_handoff(self._router, index, list(workers), len(workers), symmetrical))

    def rx_mode(self, index: int, queue: int) -> RxMode:
        return RxMode(check(self._lib.ws_router_rx_mode(self._router, index, queue)))

    def set_rx_mode(self, index: int, queue: int, mode: RxMode) -> None:
        check(self._lib.ws_router_set_rx_mode(self._router, index, queue, mode))

    def add_routes(self, first: Route, count: int) -> int:
        """Give the prefix and the `count` - 1 that follow it these paths, whatever they had; returns `count`."""
        return check(self._lib.ws_router_route_add_many(self._router, self._route(first), count, True))

    def delete_routes(self, first: Network, count: int, table: int = 0) -> int:
        """Returns how many of the `count` prefixes had a static route; UsageError when none had."""
        static = self._lib.WS_SOURCE_STATIC
        return check(self._lib.ws_router_route_del_many(self._router, table, self._network(first), static, count))

    def route_texts(self, version: int = 4, table: int = 0) -> Iterator[tuple[str, tuple[Path, ...], int, RouteSource]]:
        """All routes in order of (address, length): the prefix, its paths (one object for all routes that share them),
        its counter, and its source."""
        # Many routes share few lists of paths: each is read once.
        lists: dict[int, tuple[Path, ...]] = {}
        sources = list(RouteSource)
        family, size = (socket.AF_INET, 4) if version == 4 else (socket.AF_INET6, 16)
        for page, found in self._route_pages(version, table):
            entries = memoryview(self._ffi.buffer(page))[: found * _ENTRY.size]
            for address, length, source, number, index in _ENTRY.iter_unpack(entries):
                paths = lists.get(number)
                if paths is None:
                    paths = lists[number] = self._path_list(number)
                yield f"{socket.inet_ntop(family, address[:size])}/{length}", paths, index, sources[source]

    def run_route_lines(self, text: bytes, offset: int) -> tuple[int, int]:
        lines = self._ffi.new("uint64_t *")
        start = self._ffi.from_buffer(text) + offset
        done = check(self._lib.ws_router_routes_text(self._router, start, len(text) - offset, lines))
        return done, lines[0]

    def prefix_lengths(self, version: int = 4, table: int = 0) -> Counter[int]:
        """Number of routes of each prefix length."""
        stride = self._ffi.sizeof("struct ws_route_entry")
        offset = self._ffi.offsetof("struct ws_route_entry", "prefix", "length")
        lengths: Counter[int] = Counter()
        for page, found in self._route_pages(version, table):
            lengths.update(bytes(self._ffi.buffer(page))[offset : found * stride : stride])
        return lengths

    def _path_list(self, number: int) -> tuple[Path, ...]:
        structs = self._ffi.new("struct ws_path[]", self._lib.WS_MAX_PATHS)
        return read_paths(structs, check(self._lib.ws_router_paths(self._router, number, structs)))

    def _route_pages(self, version: int, table: int) -> Iterator[tuple[Any, int]]:
        page = self._ffi.new("struct ws_route_entry[]", _ROUTES_PAGE)
        # Each page goes on behind the last prefix of the one before: routes come and go between them.
        read, after = self._lib.ws_router_route_entries, self._ffi.NULL
        while found := check(read(self._router, table, version, after, page, _ROUTES_PAGE)):
            yield page, found
            after = self._ffi.new("struct ws_prefix *", page[found - 1].prefix)

    def route(self, prefix: Network, table: int = 0) -> Route | None:
        """The route of exactly this prefix."""
        struct = self._ffi.new("struct ws_route *")
        result = self._lib.ws_router_route_get(self._router, table, self._network(prefix), struct)
        return self._found(result, struct)

    def lookup(self, address: Address, table: int = 0) -> Route | None:
        """The longest match."""
        struct = self._ffi.new("struct ws_route *")
        wanted = address_struct(self._ffi, address)
        return self._found(self._lib.ws_router_route_lookup(self._router, table, wanted, struct), struct)

    def _found(self, result: int, struct: Any) -> Route | None:
        if result == -errno.ENOENT:
            return None
        check(result)
        return _route(struct)

    def add_neighbor(self, interface: int, address: Address, mac: str) -> None:
        wanted = address_struct(self._ffi, address)
        check(self._lib.ws_router_neighbor_add(self._router, interface, wanted, mac_bytes(mac)))

    def delete_neighbor(self, interface: int, address: Address) -> None:
        check(self._lib.ws_router_neighbor_del(self._router, interface, address_struct(self._ffi, address)))

    def neighbor_counters(self) -> NeighborCounters:
        struct = self._ffi.new("struct ws_neighbor_counters *")
        check(self._lib.ws_router_neighbor_counters(self._router, struct))
        return from_struct(NeighborCounters, struct)

    def held_packets(self) -> Sequence[HeldPackets]:
        most = self.worker_count() * int(self._lib.WS_MOST_HELD)
        packets = self._ffi.new("struct ws_held[]", most)
        count = check(self._lib.ws_router_held(self._router, packets, most))
        return [
            HeldPackets(held.interface, read_address(held.next_hop), held.worker, held.packets, held.waiting_s)
            for held in packets[0:count]
        ]

    def neighbors(self) -> Sequence[Neighbor]:
        page = self._ffi.new("struct ws_neighbor[]", _NEIGHBORS_PAGE)
        all_of_them: list[Neighbor] = []
        while count := check(self._lib.ws_router_neighbors(self._router, len(all_of_them), page, _NEIGHBORS_PAGE)):
            all_of_them += [
                Neighbor(
                    n.interface, read_address(n.address), format_mac(bytes(n.mac)), NeighborState(n.state), n.age_s
                )
                for n in page[0:count]
            ]
        return all_of_them

    def node_stats(self, worker: int) -> Sequence[NodeStats]:
        active, asleep = self._lib.WS_NODE_ACTIVE, self._lib.WS_NODE_INTERRUPT
        return [
            from_struct(NodeStats, node, polling=node.state != active, asleep=node.state == asleep)
            for node in self._stats.read(worker)
        ]

    def node_counters(self, worker: int) -> Sequence[NodeCounter]:
        return [from_struct(NodeCounter, counter) for counter in self._counters.read(worker)]

    def node_edges(self, worker: int) -> Sequence[NodeEdge]:
        return [from_struct(NodeEdge, edge) for edge in self._edges.read(worker)]

    def features(self) -> Sequence[Feature]:
        structs = self._ffi.new("struct ws_feature[]", _MOST_FEATURES)
        found = check(self._lib.ws_router_features(self._router, structs, _MOST_FEATURES))
        return [from_struct(Feature, struct) for struct in structs[0:found]]

    def clear_maxima(self) -> None:
        """Reset the most expensive call of every node."""
        self._lib.ws_router_clear_maxima(self._router)

    def totals(self, worker: int) -> Totals:
        struct = self._ffi.new("struct ws_router_totals *")
        check(self._lib.ws_router_totals(self._router, worker, struct))
        return from_struct(Totals, struct)

    def add_trace(self, node: str, count: int) -> None:
        check(self._lib.ws_router_trace_add(self._router, node.encode(), count))

    def trace(self, worker: int) -> Sequence[TraceStep]:
        page = self._ffi.new("struct ws_trace_step[]", _TRACE_PAGE)
        notes = [module.note for _, module in modules("trace")]
        steps: list[TraceStep] = []
        while count := check(self._lib.ws_router_trace(self._router, worker, len(steps), page, _TRACE_PAGE)):
            steps += [
                from_struct(
                    TraceStep,
                    step,
                    node=self._ffi.string(step.node).decode(),
                    tx_interface=None if step.tx_interface < 0 else step.tx_interface,
                    data=bytes(step.bytes[0 : step.byte_count]),
                    note="".join(note(step) for note in notes),
                )
                for step in page[0:count]
            ]
        return steps

    def clear_trace(self) -> None:
        self._lib.ws_router_trace_clear(self._router)

    def filter_trace(self, prefix: Network | None) -> None:
        """Trace only packets with a source or destination in the prefix."""
        struct = self._ffi.NULL if prefix is None else self._ffi.new("struct ws_prefix *", self._network(prefix))
        check(self._lib.ws_router_trace_filter(self._router, struct))

    def start_capture(self, config: CaptureConfig, fd: int) -> None:
        """Write a pcap file to a copy of the descriptor; UsageError when a capture is on already."""
        struct = self._ffi.new("struct ws_pcap_config *")
        struct.rx, struct.tx, struct.drop = config.rx, config.tx, config.drop
        struct.interface = -1 if config.interface is None else config.interface
        struct.max_packets, struct.snap_len, struct.fd = config.max_packets, config.snap_bytes, fd
        struct.has_filter = config.prefix is not None
        if config.prefix is not None:
            struct.filter = self._network(config.prefix)
        check(self._lib.ws_router_pcap_start(self._router, struct))

    def capture_status(self) -> CaptureStatus:
        struct = self._ffi.new("struct ws_pcap_status *")
        check(self._lib.ws_router_pcap_status(self._router, struct))
        return from_struct(CaptureStatus, struct)

    def stop_capture(self) -> CaptureStatus:
        """Returns how it ended; UsageError when none is on."""
        struct = self._ffi.new("struct ws_pcap_status *")
        check(self._lib.ws_router_pcap_stop(self._router, struct))
        return from_struct(CaptureStatus, struct)

    def _network(self, network: Network) -> Any:
        return prefix_struct(self._ffi, network.network_address, network.prefixlen)

    def _route(self, route: Route) -> Any:
        struct = self._ffi.new("struct ws_route *")
        struct.prefix = self._network(route.prefix)
        struct.table, struct.source = route.table, route.source
        fill_paths(self._ffi, struct, route.paths, f"route {route.prefix}")
        return struct


class _Block:
    """A buffer that a call fills for one worker, kept between calls and grown when it is too small."""

    def __init__(self, router: Any, kind: str, fill: Any) -> None:
        self._router, self._kind, self._fill = router, kind, fill
        self._buffer = core().ffi.new(kind, 256)

    def read(self, worker: int) -> Iterator[Any]:
        """Structs of the worker; each is valid until the iteration ends or `read` is called again."""
        while (found := check(self._fill(self._router, worker, self._buffer, len(self._buffer)))) > len(self._buffer):
            self._buffer = core().ffi.new(self._kind, found)
        buffer = self._buffer
        yield from buffer[0:found]


def _route(struct: Any) -> Route:
    return Route(
        network_of(struct.prefix),
        read_paths(struct.paths, struct.path_count),
        RouteSource(struct.source),
        struct.table,
        struct.index,
    )


def _number(index: int) -> int | None:
    """An interface's number; None for -1."""
    return None if index < 0 else index


def _tag_rewrite(struct: Any) -> TagRewrite:
    return TagRewrite(struct.pop, tuple(struct.tags[0 : struct.push]), struct.dot1ad)
