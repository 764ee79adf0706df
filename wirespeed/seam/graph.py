"""The graph of nodes: its counters, edges, traces and captures."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.seam.addresses import Network


@dataclass(frozen=True)
class NodeStats:
    """One node on one worker, since the worker first started. The maximum is that of the most expensive call since
    `clear_maxima`. Polling nodes are `asleep` while the worker sleeps until packets come."""

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
    """One named counter of one node on one worker, an error or information."""

    node: str
    reason: str
    is_error: bool
    count: int


@dataclass(frozen=True)
class NodeEdge:
    """An edge of the graph: a node, a next node, and the first slot that leads to it."""

    node: str
    next: str
    slot: int


@dataclass(frozen=True)
class Feature:
    """A node that may be put on an arc; features are in the order of the packet path. `node` is "" for an arc without
    any, and begins with "%-" if each port has its own node."""

    arc: str
    node: str


@dataclass(frozen=True)
class Totals:
    """Totals of one worker since its start, and the number of packets that wait for their next hop."""

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
    """A traced packet as it entered `node`; `data` starts at the Ethernet header and may be cut. `note` is a feature's
    remark, a separate step without data."""

    packet: int
    tsc: int
    node: str
    rx_interface: int
    tx_interface: int | None
    adjacency: int
    packet_len: int
    data: bytes
    note: str = ""


@dataclass(frozen=True)
class CaptureConfig:
    """Packets for a pcap file: at most `max_packets` of those received, sent and dropped on one port or
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
    """`missed` packets were dropped for lack of room; `error` is the errno of the file, 0 while it can be written."""

    is_there: bool
    is_on: bool
    written: int
    missed: int
    error: int
