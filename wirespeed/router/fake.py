"""A data plane that forwards nothing: the router's control plane is tested on it without DPDK.

Counters, node statistics and traces are what the test puts into the public attributes.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network

from wirespeed._native.runtime import PoolInfo, PortCounters, PortInfo, WorkerInfo
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

TSC_HZ = 1_000_000_000


class FakeRouterCore:
    """Keeps the tables as the native core does; `clock_s` is what its TSC counts."""

    def __init__(self, names: Sequence[str] = ("e0", "e1"), workers: int = 1) -> None:
        self.running = False
        self.closed = False
        self.clock_s = 0.0
        self.workers = workers
        self.interfaces = [
            Interface(name, False, 1500, f"02:fe:00:00:00:{index:02x}", Mode.L3, 0, ())
            for index, name in enumerate(names)
        ]
        self.counters = [InterfaceCounters() for _ in names]
        self.promiscuous = [False for _ in names]
        self.static: dict[IPv4Network, Route] = {}
        self.neighbor_table: dict[tuple[int, IPv4Address], Neighbor] = {}
        self.stats: list[list[NodeStats]] = [[] for _ in range(workers)]
        self.node_errors: list[list[NodeCounter]] = [[] for _ in range(workers)]
        self.moved = [Totals(0, 0, 0, 0, 0) for _ in range(workers)]
        self.steps: list[list[TraceStep]] = [[] for _ in range(workers)]
        self.trace_requests: list[tuple[str, int]] = []
        self.placements: dict[tuple[int, int], int] = {}
        self._events = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def close(self) -> None:
        self.closed = True
        os.close(self._events)

    def event_fd(self) -> int:
        return self._events

    def poll(self) -> int:
        try:
            return os.eventfd_read(self._events)
        except BlockingIOError:
            return 0

    def tsc(self) -> int:
        return int(self.clock_s * TSC_HZ)

    def tsc_hz(self) -> int:
        return TSC_HZ

    def march(self) -> int:
        return 3

    def worker_count(self) -> int:
        return self.workers

    def worker(self, worker: int) -> WorkerInfo:
        return WorkerInfo(f"ws_wk_{worker}", worker + 1, 1000 + worker, self.moved[worker].loops)

    def pool(self) -> PoolInfo:
        return PoolInfo("packets", 2176, 16384, 15000)

    def port(self, index: int) -> PortInfo:
        face = self.interfaces[index]
        return PortInfo(
            name=face.name,
            driver="net_fake",
            bus_address=f"net_fake{index}",
            mac=face.mac,
            link_up=True,
            started=True,
            is_virtual=True,
            promiscuous=self.promiscuous[index],
            speed_bps=10_000_000_000,
            numa=0,
            mtu=face.mtu,
            max_mtu=9000,
            rx_queues=1,
            tx_queues=self.workers,
            max_rx_queues=16,
            max_tx_queues=16,
            rx_descriptors=1024,
            tx_descriptors=1024,
            min_rx_descriptors=32,
            max_rx_descriptors=4096,
            min_tx_descriptors=32,
            max_tx_descriptors=4096,
        )

    def port_counters(self, index: int) -> PortCounters:
        moved = self.counters[index]
        return PortCounters(
            moved.rx_packets, moved.tx_packets, moved.rx_bytes, moved.tx_bytes, moved.rx_missed, 0, 0, 0
        )

    def interface_count(self) -> int:
        return len(self.interfaces)

    def interface(self, index: int) -> Interface:
        return self.interfaces[index]

    def interface_counters(self, index: int) -> InterfaceCounters:
        return self.counters[index]

    def set_state(self, index: int, up: bool) -> None:
        self._change(index, admin_up=up)

    def set_mtu(self, index: int, mtu: int) -> None:
        self._change(index, mtu=mtu)

    def set_mac(self, index: int, mac: str) -> None:
        self._change(index, mac=mac)

    def set_promiscuous(self, index: int, on: bool) -> None:
        self.promiscuous[index] = on

    def set_xconnect(self, index: int, to: int) -> None:
        self._change(index, mode=Mode.XCONNECT, xconnect_to=to)

    def set_l3(self, index: int) -> None:
        self._change(index, mode=Mode.L3)

    def add_address(self, index: int, address: IPv4Interface) -> None:
        for other in self.interfaces:
            if address in other.addresses:
                raise UsageError(f"{address} is an address of {other.name} already")
        self._change(index, addresses=(*self.interfaces[index].addresses, address))

    def delete_address(self, index: int, address: IPv4Interface) -> None:
        kept = tuple(have for have in self.interfaces[index].addresses if have != address)
        if len(kept) == len(self.interfaces[index].addresses):
            raise UsageError(f"{self.interfaces[index].name} has no address {address}")
        self._change(index, addresses=kept)

    def placement(self, index: int, queue: int) -> int:
        return self.placements.get((index, queue), index % self.workers)

    def set_placement(self, index: int, queue: int, worker: int) -> None:
        self.placements[index, queue] = worker

    def add_routes(self, first: Route, count: int) -> int:
        self.static.update((prefix, Route(prefix, first.paths)) for prefix in _consecutive(first.prefix, count))
        return count

    def delete_routes(self, first: IPv4Network, count: int) -> int:
        found = [prefix for prefix in _consecutive(first, count) if self.static.pop(prefix, None)]
        if not found:
            raise UsageError(f"there is no static route {first}")
        return len(found)

    def route_count(self) -> int:
        return len(list(self.routes()))

    def routes(self) -> Iterator[Route]:
        table = dict(self.static)
        for index, face in enumerate(self.interfaces):
            for address in face.addresses:
                table[address.network] = Route(address.network, (Path(PathKind.ATTACHED, None, index),), False)
                own = IPv4Network(address.ip)
                table[own] = Route(own, (Path(PathKind.LOCAL, None, index),), False)
        return iter([table[prefix] for prefix in sorted(table)])

    def prefix_lengths(self) -> Counter[int]:
        return Counter(route.prefix.prefixlen for route in self.routes())

    def route(self, prefix: IPv4Network) -> Route | None:
        return next((route for route in self.routes() if route.prefix == prefix), None)

    def lookup(self, address: IPv4Address) -> Route | None:
        covering = [route for route in self.routes() if address in route.prefix]
        return max(covering, key=lambda route: route.prefix.prefixlen, default=None)

    def add_neighbor(self, interface: int, address: IPv4Address, mac: str) -> None:
        self.neighbor_table[interface, address] = Neighbor(interface, address, mac, NeighborState.STATIC, 0.0)

    def delete_neighbor(self, interface: int, address: IPv4Address) -> None:
        if self.neighbor_table.pop((interface, address), None) is None:
            raise UsageError(f"there is no neighbor {address} on {self.interfaces[interface].name}")

    def neighbors(self) -> Sequence[Neighbor]:
        return list(self.neighbor_table.values())

    def node_stats(self, worker: int) -> Sequence[NodeStats]:
        return self.stats[worker]

    def node_counters(self, worker: int) -> Sequence[NodeCounter]:
        return self.node_errors[worker]

    def totals(self, worker: int) -> Totals:
        return self.moved[worker]

    def add_trace(self, node: str, count: int) -> None:
        self.trace_requests.append((node, count))

    def trace(self, worker: int) -> Sequence[TraceStep]:
        return self.steps[worker]

    def clear_trace(self) -> None:
        self.steps = [[] for _ in range(self.workers)]

    def _change(self, index: int, **changes: object) -> None:
        self.interfaces[index] = replace(self.interfaces[index], **changes)  # type: ignore[arg-type]


def _consecutive(first: IPv4Network, count: int) -> Iterator[IPv4Network]:
    for step in range(count):
        yield IPv4Network((int(first.network_address) + step * first.num_addresses, first.prefixlen))
