"""The native router behind `RouterCore`: records in, records out, one call each."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Any

from wirespeed._native import runtime
from wirespeed._native.runtime import (
    PoolInfo,
    PortCounters,
    PortInfo,
    WorkerInfo,
    check,
    core,
    format_mac,
    from_struct,
    mac_bytes,
)
from wirespeed.errors import UsageError
from wirespeed.router.core import (
    Interface,
    InterfaceCounters,
    Mode,
    Neighbor,
    NeighborState,
    NodeCounter,
    NodeStats,
    Path,
    PathKind,
    Route,
    Totals,
    TraceStep,
)

_ROUTES_PAGE = 4096
_NEIGHBORS_PAGE = 1024
_TRACE_PAGE = 1024


class NativeRouter:
    """One router on the ports of this process; `runtime.start_runtime` and `open_ports` come before.

    Raises what `runtime.check` raises. `close` ends the runtime as well.
    """

    def __init__(self, worker_count: int, max_routes: int = 0) -> None:
        self._ffi, self._lib = core().ffi, core().lib
        config = self._ffi.new("struct ws_router_config *")
        config.max_ip4_routes = max_routes
        self._router = self._lib.ws_router_create(config)
        if not self._router:
            # A pointer says no more than that it failed; the reason is in ws_error().
            check(-errno.ENOMEM)
        self._workers = worker_count
        self._running = False
        self._stats = _Block(self._router, "struct ws_node_stats[]", self._lib.ws_router_node_stats)
        self._counters = _Block(self._router, "struct ws_node_counter[]", self._lib.ws_router_node_counters)

    def start(self) -> None:
        check(self._lib.ws_router_start(self._router))
        self._running = True

    def stop(self) -> None:
        self._lib.ws_router_stop(self._router)
        self._running = False

    def close(self) -> None:
        self.stop()
        self._lib.ws_router_destroy(self._router)
        runtime.close()

    def event_fd(self) -> int:
        return check(self._lib.ws_router_event_fd(self._router))

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

    def pool(self) -> PoolInfo:
        return runtime.pool_info()

    def port(self, index: int) -> PortInfo:
        return runtime.port_info(index)

    def port_counters(self, index: int) -> PortCounters:
        return runtime.port_counters(index)

    def interface_count(self) -> int:
        return check(self._lib.ws_router_interface_count(self._router))

    def interface(self, index: int) -> Interface:
        struct = self._ffi.new("struct ws_interface *")
        check(self._lib.ws_router_interface(self._router, index, struct))
        addresses = (struct.addresses[i] for i in range(struct.address_count))
        return from_struct(
            Interface,
            struct,
            mode=Mode(struct.mode),
            addresses=tuple(IPv4Interface((a.address, a.length)) for a in addresses),
        )

    def interface_counters(self, index: int) -> InterfaceCounters:
        struct = self._ffi.new("struct ws_interface_counters *")
        check(self._lib.ws_router_interface_counters(self._router, index, struct))
        return from_struct(InterfaceCounters, struct)

    def set_state(self, index: int, up: bool) -> None:
        check(self._lib.ws_router_set_state(self._router, index, up))

    def set_mtu(self, index: int, mtu: int) -> None:
        check(self._lib.ws_router_set_mtu(self._router, index, mtu))

    def set_mac(self, index: int, mac: str) -> None:
        check(self._lib.ws_router_set_mac(self._router, index, mac_bytes(mac)))

    def set_promiscuous(self, index: int, on: bool) -> None:
        check(self._lib.ws_port_set_promiscuous(index, on))

    def set_xconnect(self, index: int, to: int) -> None:
        check(self._lib.ws_router_set_xconnect(self._router, index, to))

    def set_l3(self, index: int) -> None:
        check(self._lib.ws_router_set_l3(self._router, index))

    def add_address(self, index: int, address: IPv4Interface) -> None:
        check(self._lib.ws_router_address_add(self._router, index, self._prefix(address)[0]))

    def delete_address(self, index: int, address: IPv4Interface) -> None:
        check(self._lib.ws_router_address_del(self._router, index, self._prefix(address)[0]))

    def placement(self, index: int, queue: int) -> int:
        return check(self._lib.ws_router_placement(self._router, index, queue))

    def set_placement(self, index: int, queue: int, worker: int) -> None:
        was_running = self._running
        if was_running:
            self.stop()
        try:
            check(self._lib.ws_router_set_placement(self._router, index, queue, worker))
        finally:
            if was_running:
                self.start()

    def add_routes(self, first: Route, count: int) -> int:
        return check(self._lib.ws_router_route_add_many(self._router, self._route(first), count, True))

    def delete_routes(self, first: IPv4Network, count: int) -> int:
        return check(self._lib.ws_router_route_del_many(self._router, self._network(first)[0], count))

    def route_count(self) -> int:
        return check(self._lib.ws_router_route_count(self._router))

    def routes(self) -> Iterator[Route]:
        # Many routes share few lists of paths: each is read once.
        lists: dict[bytes, tuple[Path, ...]] = {}
        for page, found in self._route_pages():
            for struct in page[0:found]:
                key = bytes(self._ffi.buffer(struct.paths)[0 : struct.path_count * self._ffi.sizeof("struct ws_path")])
                paths = lists.get(key)
                if paths is None:
                    paths = lists[key] = _paths(struct)
                prefix = IPv4Network((struct.prefix.address, struct.prefix.length))
                yield Route(prefix, paths, struct.is_static)

    def prefix_lengths(self) -> Counter[int]:
        stride = self._ffi.sizeof("struct ws_route")
        offset = self._ffi.offsetof("struct ws_ip4_prefix", "length")
        lengths: Counter[int] = Counter()
        for page, found in self._route_pages():
            lengths.update(bytes(self._ffi.buffer(page))[offset : found * stride : stride])
        return lengths

    def _route_pages(self) -> Iterator[tuple[Any, int]]:
        page = self._ffi.new("struct ws_route[]", _ROUTES_PAGE)
        start = 0
        while found := check(self._lib.ws_router_routes(self._router, start, page, _ROUTES_PAGE)):
            yield page, found
            start += found

    def route(self, prefix: IPv4Network) -> Route | None:
        struct = self._ffi.new("struct ws_route *")
        return self._found(self._lib.ws_router_route_get(self._router, self._network(prefix)[0], struct), struct)

    def lookup(self, address: IPv4Address) -> Route | None:
        struct = self._ffi.new("struct ws_route *")
        return self._found(self._lib.ws_router_route_lookup(self._router, int(address), struct), struct)

    def _found(self, result: int, struct: Any) -> Route | None:
        if result == -errno.ENOENT:
            return None
        check(result)
        return _route(struct)

    def add_neighbor(self, interface: int, address: IPv4Address, mac: str) -> None:
        check(self._lib.ws_router_neighbor_add(self._router, interface, int(address), mac_bytes(mac)))

    def delete_neighbor(self, interface: int, address: IPv4Address) -> None:
        check(self._lib.ws_router_neighbor_del(self._router, interface, int(address)))

    def neighbors(self) -> Sequence[Neighbor]:
        page = self._ffi.new("struct ws_neighbor[]", _NEIGHBORS_PAGE)
        all_of_them: list[Neighbor] = []
        while found := check(self._lib.ws_router_neighbors(self._router, len(all_of_them), page, _NEIGHBORS_PAGE)):
            all_of_them += [
                Neighbor(n.interface, IPv4Address(n.address), format_mac(bytes(n.mac)), NeighborState(n.state), n.age_s)
                for n in page[0:found]
            ]
        return all_of_them

    def node_stats(self, worker: int) -> Sequence[NodeStats]:
        polling = self._lib.WS_NODE_POLLING
        nodes = self._stats.read(worker)
        return [from_struct(NodeStats, node, polling=node.state == polling) for node in nodes]

    def node_counters(self, worker: int) -> Sequence[NodeCounter]:
        return [from_struct(NodeCounter, counter) for counter in self._counters.read(worker)]

    def totals(self, worker: int) -> Totals:
        struct = self._ffi.new("struct ws_router_totals *")
        check(self._lib.ws_router_totals(self._router, worker, struct))
        return from_struct(Totals, struct)

    def add_trace(self, node: str, count: int) -> None:
        check(self._lib.ws_router_trace_add(self._router, node.encode(), count))

    def trace(self, worker: int) -> Sequence[TraceStep]:
        page = self._ffi.new("struct ws_trace_step[]", _TRACE_PAGE)
        steps: list[TraceStep] = []
        while found := check(self._lib.ws_router_trace(self._router, worker, len(steps), page, _TRACE_PAGE)):
            steps += [
                from_struct(
                    TraceStep,
                    step,
                    node=self._ffi.string(step.node).decode(),
                    tx_interface=None if step.tx_interface < 0 else step.tx_interface,
                    data=bytes(step.bytes[0 : step.byte_count]),
                )
                for step in page[0:found]
            ]
        return steps

    def clear_trace(self) -> None:
        self._lib.ws_router_trace_clear(self._router)

    def _prefix(self, interface: IPv4Interface) -> Any:
        return self._ffi.new("struct ws_ip4_prefix *", (int(interface.ip), interface.network.prefixlen))

    def _network(self, network: IPv4Network) -> Any:
        return self._ffi.new("struct ws_ip4_prefix *", (int(network.network_address), network.prefixlen))

    def _route(self, route: Route) -> Any:
        if len(route.paths) > self._lib.WS_MAX_PATHS:
            raise UsageError(f"route {route.prefix} has {len(route.paths)} paths; at most {self._lib.WS_MAX_PATHS}")
        struct = self._ffi.new("struct ws_route *")
        struct.prefix = self._network(route.prefix)[0]
        struct.path_count, struct.is_static = len(route.paths), route.is_static
        for path, given in zip(struct.paths, route.paths, strict=False):
            path.kind, path.next_hop = given.kind, int(given.next_hop or 0)
            path.interface = -1 if given.interface is None else given.interface
            path.weight = given.weight
        return struct


class _Block:
    """A buffer that a call fills for one worker, kept between calls and grown when it is too small."""

    def __init__(self, router: Any, kind: str, fill: Any) -> None:
        self._router, self._kind, self._fill = router, kind, fill
        self._buffer = core().ffi.new(kind, 256)

    def read(self, worker: int) -> Any:
        while True:
            room = len(self._buffer)
            found = check(self._fill(self._router, worker, self._buffer, room))
            if found <= room:
                return self._buffer[0:found]
            self._buffer = core().ffi.new(self._kind, found)


def _route(struct: Any) -> Route:
    prefix = IPv4Network((struct.prefix.address, struct.prefix.length))
    return Route(prefix, _paths(struct), struct.is_static)


def _paths(struct: Any) -> tuple[Path, ...]:
    return tuple(_path(path) for path in struct.paths[0 : struct.path_count])


def _path(struct: Any) -> Path:
    kind = PathKind(struct.kind)
    return Path(
        kind,
        IPv4Address(struct.next_hop) if kind is PathKind.NEXT_HOP else None,
        None if struct.interface < 0 else struct.interface,
        max(1, struct.weight),
    )
