"""The graph of nodes: what it counted, moved, traced and captured."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.seam.addresses import Network


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
    """One named counter of one node on one worker; what is not an error is information."""

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
    """A traced packet as it entered `node`; `data` starts at the Ethernet header and may be cut. `note` is what a
    feature made of it there, as a step of its own without data."""

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
    """`missed` packets found no room; `error` is the errno of the file, 0 while it can be written."""

    is_there: bool
    is_on: bool
    written: int
    missed: int
    error: int
