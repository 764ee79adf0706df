"""What the router's control plane asks of its data plane: one protocol, and the records that cross it.

The native core is behind `wirespeed._native.router`, one that needs no DPDK is in `fake_router`. Interfaces
have numbers: those of ports from 0 in the order they were given, further ones as the core likes, and deleted ones leave
holes. Workers are numbered from 0. Errors are those of `wirespeed.errors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import TYPE_CHECKING, Protocol

from wirespeed._native.runtime import PoolInfo, PortCounters, PortDevice, PortInfo, RxStart, WorkerInfo
from wirespeed.model import PortSpec
from wirespeed.router.acl_core import AclCore, AclTrace
from wirespeed.router.acl_session_core import AclSessionCore
from wirespeed.router.bond_core import BondCore
from wirespeed.router.counting_core import CountingCore
from wirespeed.router.impairment_core import ImpairmentCore
from wirespeed.router.ip6_core import Ip6Core
from wirespeed.router.punt_core import PuntCore
from wirespeed.router.sflow_core import SflowCore
from wirespeed.router.tables_core import TablesCore
from wirespeed.router.urpf_core import UrpfCore
from wirespeed.router.vxlan_core import VxlanCore

if TYPE_CHECKING:
    from wirespeed.router.linux_host import LinuxHost

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
InterfaceAddress = IPv4Interface | IPv6Interface
"""An address with the length of its network's prefix."""


class Mode(IntEnum):
    L3 = 0
    XCONNECT = 1
    BRIDGE = 2


class InterfaceKind(IntEnum):
    PORT = 0
    SUB = 1
    LOOPBACK = 2
    VXLAN = 3
    BOND = 4


class MtuKind(IntEnum):
    """`L2` is what a port carries, `L3` what routing sends; the others are for one protocol each."""

    L2 = 0
    L3 = 1
    IP4 = 2
    IP6 = 3
    MPLS = 4


class PathKind(IntEnum):
    NEXT_HOP = 0
    ATTACHED = 1
    LOCAL = 2
    DROP = 3
    UNREACHABLE = 4
    PROHIBIT = 5
    LOOKUP = 6


class RouteSource(IntEnum):
    """Who made a route: the user, Linux, an address of ours, or a neighbor for itself."""

    STATIC = 0
    LINUX = 1
    CONNECTED = 2
    NEIGHBOR = 3


class RxMode(IntEnum):
    """When a worker may sleep: never, when a poll brings nothing, or after some time without packets. It must suit all
    of its queues."""

    POLLING = 0
    INTERRUPT = 1
    ADAPTIVE = 2


class NeighborState(IntEnum):
    INCOMPLETE = 0
    REACHABLE = 1
    STATIC = 2
    STALE = 3
    PROBE = 4


ANY_VLAN = 4095


@dataclass(frozen=True)
class SubInterface:
    """Which frames of its parent a sub-interface takes: by ids or `ANY_VLAN`; `inner` 0: those of one tag. `exact`: no
    more tags. `outer` 0: frames without tags if `exact`, else tagged ones that no other takes."""

    id: int
    outer: int
    inner: int = 0
    dot1ad: bool = False
    exact: bool = True


@dataclass(frozen=True)
class TagRewrite:
    """Take `pop` tags off frames that come in and put `tags` on, the first one of 802.1ad if `dot1ad`; frames that
    go out are rewritten the other way round."""

    pop: int = 0
    tags: tuple[int, ...] = ()
    dot1ad: bool = False


@dataclass(frozen=True)
class BridgeDomain:
    """`uu_flood`: to stations that are not known. `age_min` 0: learnt addresses stay. `bvi`: its own interface."""

    id: int
    learn: bool = True
    forward: bool = True
    flood: bool = True
    uu_flood: bool = True
    age_min: int = 0
    bvi: int | None = None


@dataclass(frozen=True)
class L2FibEntry:
    """Which interface of a bridge domain an address is behind; None: frames to it are dropped."""

    domain: int
    mac: str
    interface: int | None
    is_static: bool = True
    age_s: int = 0


@dataclass(frozen=True)
class Interface:
    """`xconnect_to` is an interface number, meaningful in Mode.XCONNECT; `parent` the port of a sub-interface.
    `bridge_domain` is 0 for none; a BVI has one, and is in Mode.L3."""

    name: str
    admin_up: bool
    mtu: int
    mac: str
    mode: Mode
    xconnect_to: int
    addresses: tuple[InterfaceAddress, ...]
    kind: InterfaceKind = InterfaceKind.PORT
    parent: int = 0
    sub: SubInterface | None = None
    link_up: bool = True
    bridge_domain: int = 0
    split_horizon_group: int = 0
    ip4_table: int = 0
    ip6_table: int = 0
    mpls: bool = False
    tag_rewrite: TagRewrite = TagRewrite()
    mtus: tuple[int, ...] = (1500, 1500, 0, 0, 0)
    """By MtuKind; 0 where a protocol has none of its own."""
    unnumbered_of: int | None = None
    """The interface whose addresses it uses."""

    @property
    def is_bvi(self) -> bool:
        return self.bridge_domain > 0 and self.mode is Mode.L3


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
    ip6: int = 0
    mpls: int = 0
    rx_missed: int = 0
    rx_errors: int = 0
    rx_no_buffer: int = 0
    tx_errors: int = 0


@dataclass(frozen=True)
class LabelPipe:
    """TTL and class (EXP) that a pushed label bears, whatever the packet's are: RFC 3443's pipe model."""

    ttl: int = 255
    traffic_class: int = 0


@dataclass(frozen=True)
class Path:
    """One way a route may take. `interface` None: the one that the route to `next_hop` in `table` leads to.

    `labels` are pushed, the outermost first; PathKind.LOOKUP looks again in `table`.
    """

    kind: PathKind
    next_hop: Address | None = None
    interface: int | None = None
    weight: int = 1
    table: int = 0
    labels: tuple[int, ...] = ()
    pipes: tuple[LabelPipe | None, ...] = ()
    """Of each label, None where it bears the packet's TTL and class (the uniform model); empty where all do."""


@dataclass(frozen=True)
class Route:
    """`table` is the number that the user gave it; 0 is the default one of the prefix's family."""

    prefix: Network
    paths: tuple[Path, ...]
    source: RouteSource = RouteSource.STATIC
    table: int = 0
    index: int = field(default=0, compare=False)
    """What it is counted by; of a route that was asked for."""

    @property
    def is_static(self) -> bool:
        return self.source is RouteSource.STATIC


@dataclass(frozen=True)
class Neighbor:
    interface: int
    address: Address
    mac: str
    state: NeighborState
    age_s: float


@dataclass(frozen=True)
class NeighborCounters:
    """Neighbors there are and may be, `used` with static ones and next hops of routes; and since the start those that
    never answered and made room, those refused for want of it, and those forgotten after three questions."""

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
    """Packets that wait on one worker until the MAC address of their next hop is known, the first since `waiting_s`."""

    interface: int
    next_hop: Address
    worker: int
    packets: int
    waiting_s: float


@dataclass(frozen=True)
class NodeStats:
    """One node on one worker, since the worker first started; the maximum is of its one dearest call since
    `clear_maxima`. Nodes that poll are `asleep` while the worker sleeps until packets come."""

    name: str
    polling: bool
    calls: int
    vectors: int
    suspends: int
    clocks: int
    max_clocks: int = 0
    max_clocks_vectors: int = 0
    asleep: bool = False


@dataclass(frozen=True)
class NodeCounter:
    """One named counter of one node on one worker; what is no error is information."""

    node: str
    reason: str
    is_error: bool
    count: int


@dataclass(frozen=True)
class NodeEdge:
    """A node of the graph and one that it may pass packets on to, by the first slot that leads there."""

    node: str
    next: str
    slot: int


@dataclass(frozen=True)
class Feature:
    """A node that may be put on an arc, in the order that packets meet them; `node` is "" for an arc without any, and
    begins with "%-" where each port has one of its own."""

    arc: str
    node: str


@dataclass(frozen=True)
class Totals:
    """What one worker moved since it first started, and how many packets wait for their next hop."""

    rx_packets: int
    tx_packets: int
    drops: int
    punts: int
    loops: int
    sleeps: int = 0
    made: int = 0
    held: int = 0


@dataclass(frozen=True)
class TraceStep:
    """A traced packet as it entered `node`; `data` starts at the Ethernet header and may be cut. With `acl`, what ACLs
    made of it there, as a step of its own without data."""

    packet: int
    tsc: int
    node: str
    rx_interface: int
    tx_interface: int | None
    adjacency: int
    packet_len: int
    data: bytes
    acl: AclTrace | None = None


@dataclass(frozen=True)
class CaptureConfig:
    """Which packets go into a pcap file: at most `max_packets` of those received, sent and dropped on one port or
    (None) on all, with a source or destination in `prefix` if there is one, cut to `snap_bytes`."""

    rx: bool
    tx: bool
    drop: bool
    interface: int | None
    max_packets: int
    snap_bytes: int
    prefix: Network | None


@dataclass(frozen=True)
class CaptureStatus:
    """`missed` packets found no room; `error` is the errno of the file, 0 while it can be written."""

    is_there: bool
    is_on: bool
    written: int
    missed: int
    error: int


class RouterCore(
    AclCore,
    AclSessionCore,
    BondCore,
    CountingCore,
    ImpairmentCore,
    Ip6Core,
    PuntCore,
    SflowCore,
    TablesCore,
    UrpfCore,
    VxlanCore,
    Protocol,
):
    """The data plane of one router."""

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
    def lcp_pair(self, index: int, host: int) -> None:
        """What the router does not forward of interface `index` goes to Linux by TAP port `host`."""

    def lcp_unpair(self, index: int) -> None: ...
    def set_carrier(self, port: int, up: bool) -> None:
        """Whether Linux sees a link on its side of a TAP."""

    def open_linux(self, netns: str) -> LinuxHost:
        """Listen to Linux in a network namespace; "" is this one."""

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
