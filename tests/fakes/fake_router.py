"""A data plane that forwards nothing, for tests of the router's control plane without DPDK.

Tests set counters, node statistics and traces in the public attributes.
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import import_module
from ipaddress import ip_network

from fake_acl import FakeAcl
from fake_bond import FakeBond
from fake_counting import FakeCounting
from fake_impairment import FakeImpairment
from fake_ip6 import FakeIp6
from fake_l2 import FakeL2
from fake_linux import FakeLcp
from fake_mpls import FakeMpls
from fake_punt import FakePunt
from fake_sflow import FakeSflow
from fake_tables import FakeTables
from fake_urpf import FakeUrpf
from fake_vxlan import FakeVxlan

from wirespeed.errors import UsageError
from wirespeed.model import PortSpec
from wirespeed.router.features import features
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
)
from wirespeed.seam.ports import PoolInfo, PortCounters, PortDevice, PortInfo, PortMedium, RxStart, WorkerInfo
from wirespeed.seam.routes import (
    HeldPackets,
    Neighbor,
    NeighborCounters,
    NeighborState,
    Path,
    PathKind,
    Route,
    RouteSource,
)

TSC_HZ = 1_000_000_000
_FIRST_BESIDE_PORTS = 32


class FakeRouterCore:
    """Stores the tables like the native core; `clock_s` is the time that its TSC counts."""

    def __init__(self, names: Sequence[str] = ("e0", "e1"), workers: int = 1) -> None:
        self.acl = FakeAcl()
        self.bond = FakeBond(self)
        self.counting = FakeCounting()
        self.impairment = FakeImpairment()
        self.ip6 = FakeIp6()
        self.l2 = FakeL2(self)
        self.lcp = FakeLcp(self)
        self.mpls = FakeMpls()
        self.punt = FakePunt()
        self.sflow = FakeSflow(self)
        self.tables = FakeTables()
        self.urpf = FakeUrpf()
        self.vxlan = FakeVxlan(self)
        # For other features: FAKE of the module fake_<feature>.
        for name in features():
            if name not in vars(self):
                setattr(self, name, import_module(f"fake_{name}").FAKE(self))
        self.running = False
        self.closed = False
        self.clock_s = 0.0
        self.workers = workers
        self.interfaces: dict[int, RouterInterface] = {}
        self.counters: dict[int, InterfaceCounters] = {}
        self.promiscuous: dict[int, bool] = {}
        self.removed: tuple[int, ...] = ()
        self.devices: dict[int, PortDevice] = {}
        self.specs: dict[int, PortSpec] = {}
        self.rx_starts: dict[int, RxStart] = {}
        for name in names:
            self.add_port(name, PortSpec("null"))
        self.static: dict[Network, Route] = {}
        self.neighbor_table: dict[tuple[int, Address], Neighbor] = {}
        self.held: list[HeldPackets] = []
        self.stats: list[list[NodeStats]] = [[] for _ in range(workers)]
        self.node_errors: list[list[NodeCounter]] = [[] for _ in range(workers)]
        self.moved = [Totals(0, 0, 0, 0, 0) for _ in range(workers)]
        self.steps: list[list[TraceStep]] = [[] for _ in range(workers)]
        self.trace_prefix: Network | None = None
        self.capture: CaptureConfig | None = None
        self.capture_result = CaptureStatus(True, False, 3, 0, 0)
        self.trace_requests: list[tuple[str, int]] = []
        self.placements: dict[tuple[int, int], int] = {}
        self.handoffs: dict[int, tuple[tuple[int, ...], bool]] = {}
        self.edges: list[NodeEdge] = []
        self.rx_modes: dict[tuple[int, int], RxMode] = {}
        self._events = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._links = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def close(self) -> None:
        self.closed = True
        os.close(self._events)
        os.close(self._links)

    def event_fd(self) -> int:
        return self._events

    def links_fd(self) -> int:
        return self._links

    def follow_links(self) -> tuple[int, ...]:
        removed, self.removed = self.removed, ()
        return removed

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

    def pools(self) -> tuple[PoolInfo, ...]:
        return (PoolInfo("default-numa-0", 2176, 16384, 15000),)

    def port_device(self, index: int) -> PortDevice | None:
        return self.devices.get(index)

    def port(self, index: int) -> PortInfo:
        face = self.interfaces[index]
        return PortInfo(
            name=face.name,
            driver="net_fake",
            bus_address=f"net_fake{index}",
            mac=face.mac,
            link_up=face.link_up,
            started=True,
            is_virtual=True,
            promiscuous=self.promiscuous[index],
            removed=False,
            speed_bps=10_000_000_000,
            most_speed_bps=10_000_000_000,
            medium=PortMedium.QUEUE,
            numa=0,
            mtu=face.mtu,
            max_mtu=9000,
            longest_tx=1522,
            longest_rx=1522,
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

    def interface_names(self) -> dict[str, int]:
        def place(index: int) -> tuple[int, bool, int]:
            face = self.interfaces[index]
            return face.parent, face.sub is not None, face.sub.id if face.sub else 0

        return {self.interfaces[index].name: index for index in sorted(self.interfaces, key=place)}

    def interface_index(self, name: str) -> int | None:
        return self.interface_names().get(name)

    def start_reception(self, index: int) -> None:
        if self.rx_starts.pop(index, RxStart.AT_ONCE) is RxStart.AT_ONCE:
            raise UsageError(f"port {self.interfaces[index].name} already receives")

    def add_port(self, name: str, spec: PortSpec, rx_start: RxStart = RxStart.AT_ONCE) -> int:
        index = next(index for index in itertools.count() if index not in self.interfaces)
        self.specs[index] = spec
        self.rx_starts[index] = rx_start
        return self._add(index, RouterInterface(name, False, 1500, f"02:fe:00:00:00:{index:02x}", Mode.L3, 0, ()))

    def add_loopback(self, instance: int, mac: str | None) -> int:
        mac = mac or f"de:ad:00:00:{instance >> 8:02x}:{instance & 255:02x}"
        face = RouterInterface(f"loop{instance}", False, 9000, mac, Mode.L3, 0, (), InterfaceKind.LOOPBACK)
        return self.add(face)

    def add_subinterface(self, parent: int, sub: SubInterface) -> int:
        port = self.interfaces[parent]
        if port.kind in (InterfaceKind.SUB, InterfaceKind.LOOPBACK):
            raise UsageError(f"{port.name} takes no sub-interfaces; ports, bonds and VXLAN tunnels do")
        index = self._free()
        name = f"{port.name}.{sub.id}"
        face = RouterInterface(name, False, port.mtu, port.mac, Mode.L3, 0, (), InterfaceKind.SUB, parent, sub)
        self._add(index, face)
        self.change(index, parent=parent)
        return index

    def delete_interface(self, index: int) -> None:
        for other in self.interfaces.values():
            if other.sub is not None and other.parent == index:
                raise UsageError(f"{self.interfaces[index].name} has sub-interface {other.name}; delete that one first")
        for name, other in list(self.interfaces.items()):
            if other.mode is Mode.XCONNECT and other.xconnect_to == index:
                self.l2.set_l3(name)
        del self.interfaces[index]

    def add(self, face: RouterInterface) -> int:
        """Add an interface other than a port, at the first free number."""
        return self._add(self._free(), face)

    def _free(self) -> int:
        return next(index for index in itertools.count(_FIRST_BESIDE_PORTS) if index not in self.interfaces)

    def _add(self, index: int, face: RouterInterface) -> int:
        if face.name in self.interface_names():
            raise UsageError(f"there is an interface {face.name} already; give another name")
        self.interfaces[index] = replace(face, parent=index)
        self.counters[index] = InterfaceCounters()
        self.promiscuous[index] = False
        return index

    def interface(self, index: int) -> RouterInterface:
        if index not in self.interfaces:
            raise UsageError(f"there is no interface {index}")
        return self.interfaces[index]

    def interface_counters(self, index: int) -> InterfaceCounters:
        return self.counters[index]

    def set_state(self, index: int, up: bool) -> None:
        self.change(index, admin_up=up)

    def set_mtu(self, index: int, mtu: int) -> None:
        self.change(index, mtu=mtu, mtus=(mtu, mtu, *self.interfaces[index].mtus[2:]))

    def set_protocol_mtu(self, index: int, kind: MtuKind, mtu: int) -> None:
        mtus = list(self.interfaces[index].mtus)
        mtus[kind] = mtu
        self.change(index, mtu=mtus[MtuKind.L3], mtus=tuple(mtus))

    def set_unnumbered(self, index: int, of: int | None) -> None:
        self.change(index, unnumbered_of=of)

    def set_mac(self, index: int, mac: str) -> None:
        self.change(index, mac=mac)

    def set_promiscuous(self, index: int, on: bool) -> None:
        self.promiscuous[index] = on

    def add_address(self, index: int, address: InterfaceAddress) -> None:
        for other in self.interfaces.values():
            if address in other.addresses:
                raise UsageError(f"{address} is an address of {other.name} already")
        self.change(index, addresses=(*self.interfaces[index].addresses, address))

    def delete_address(self, index: int, address: InterfaceAddress) -> None:
        kept = tuple(have for have in self.interfaces[index].addresses if have != address)
        if len(kept) == len(self.interfaces[index].addresses):
            raise UsageError(f"{self.interfaces[index].name} has no address {address}")
        self.change(index, addresses=kept)

    def placement(self, index: int, queue: int) -> int:
        return self.placements.get((index, queue), index % self.workers)

    def set_placement(self, index: int, queue: int, worker: int) -> None:
        self.placements[index, queue] = worker

    def handoff(self, index: int) -> tuple[int, ...]:
        return self.handoffs.get(index, ((), False))[0]

    def set_handoff(self, index: int, workers: Sequence[int], symmetrical: bool) -> None:
        self.handoffs[index] = (tuple(workers), symmetrical)

    def rx_mode(self, index: int, queue: int) -> RxMode:
        return self.rx_modes.get((index, queue), RxMode.POLLING)

    def set_rx_mode(self, index: int, queue: int, mode: RxMode) -> None:
        self.rx_modes[index, queue] = mode

    def add_routes(self, first: Route, count: int) -> int:
        self.static.update((prefix, Route(prefix, first.paths)) for prefix in _consecutive(first.prefix, count))
        return count

    def delete_routes(self, first: Network, count: int, table: int = 0) -> int:
        found = [prefix for prefix in _consecutive(first, count) if self.static.pop(prefix, None)]
        if not found:
            raise UsageError(f"there is no static route {first}")
        return len(found)

    def routes(self, version: int = 4, table: int = 0) -> Iterator[Route]:
        found = dict(self.static)
        for index, face in self.interfaces.items():
            for address in face.addresses:
                own = ip_network(address.ip)
                for prefix, kind in ((address.network, PathKind.ATTACHED), (own, PathKind.LOCAL)):
                    found[prefix] = Route(prefix, (Path(kind, None, index),), RouteSource.CONNECTED)
        chosen = [prefix for prefix in found if prefix.version == version]
        return iter([found[prefix] for prefix in sorted(chosen, key=lambda p: (int(p.network_address), p.prefixlen))])

    def route_texts(self, version: int = 4, table: int = 0) -> Iterator[tuple[str, tuple[Path, ...], int, RouteSource]]:
        return ((str(route.prefix), route.paths, route.index, route.source) for route in self.routes(version, table))

    def run_route_lines(self, text: bytes, offset: int) -> tuple[int, int]:
        """No line is plain enough for it."""
        return 0, 0

    def prefix_lengths(self, version: int = 4, table: int = 0) -> Counter[int]:
        return Counter(route.prefix.prefixlen for route in self.routes(version, table))

    def route(self, prefix: Network, table: int = 0) -> Route | None:
        return next((route for route in self.routes(prefix.version, table) if route.prefix == prefix), None)

    def lookup(self, address: Address, table: int = 0) -> Route | None:
        covering = [route for route in self.routes(address.version, table) if address in route.prefix]
        return max(covering, key=lambda route: route.prefix.prefixlen, default=None)

    def add_neighbor(self, interface: int, address: Address, mac: str) -> None:
        self.neighbor_table[interface, address] = Neighbor(interface, address, mac, NeighborState.STATIC, 0.0)

    def delete_neighbor(self, interface: int, address: Address) -> None:
        if self.neighbor_table.pop((interface, address), None) is None:
            raise UsageError(f"there is no neighbor {address} on {self.interfaces[interface].name}")

    def neighbor_counters(self) -> NeighborCounters:
        return NeighborCounters(used=len(self.neighbor_table), most=64, most_learnt=56, most_of_interface=32)

    def held_packets(self) -> Sequence[HeldPackets]:
        return self.held

    def neighbors(self) -> Sequence[Neighbor]:
        return list(self.neighbor_table.values())

    def node_stats(self, worker: int) -> Sequence[NodeStats]:
        return self.stats[worker]

    def clear_maxima(self) -> None:
        self.stats = [[replace(node, max_clocks=0) for node in nodes] for nodes in self.stats]

    def node_counters(self, worker: int) -> Sequence[NodeCounter]:
        return self.node_errors[worker]

    def node_edges(self, worker: int) -> Sequence[NodeEdge]:
        return self.edges

    def features(self) -> Sequence[Feature]:
        return [Feature("interface-output", "%-impairment"), Feature("ip4-unicast", "")]

    def totals(self, worker: int) -> Totals:
        return self.moved[worker]

    def add_trace(self, node: str, count: int) -> None:
        self.trace_requests.append((node, count))

    def trace(self, worker: int) -> Sequence[TraceStep]:
        return self.steps[worker]

    def clear_trace(self) -> None:
        self.steps = [[] for _ in range(self.workers)]

    def filter_trace(self, prefix: Network | None) -> None:
        self.trace_prefix = prefix

    def start_capture(self, config: CaptureConfig, fd: int) -> None:
        if self.capture is not None:
            raise UsageError("a capture is on already")
        self.capture = config
        os.write(fd, b"pcap")

    def capture_status(self) -> CaptureStatus:
        return self.capture_result if self.capture else CaptureStatus(False, False, 0, 0, 0)

    def stop_capture(self) -> CaptureStatus:
        if self.capture is None:
            raise UsageError("no capture is on")
        self.capture = None
        return self.capture_result

    def change(self, index: int, **changes: object) -> None:
        self.interfaces[index] = replace(self.interfaces[index], **changes)  # type: ignore[arg-type]


def _consecutive(first: Network, count: int) -> Iterator[Network]:
    for step in range(count):
        yield ip_network((first.network_address + step * first.num_addresses, first.prefixlen))
