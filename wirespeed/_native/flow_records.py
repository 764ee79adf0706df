"""Counters per flow of the generator's core, and the packets that it hands over.

Names as in native/include/wirespeed/flows.h and captures.h.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

FLOWS = 1023
LATENCY_FLOWS = 128
MAX_CAPTURES = 16

HISTOGRAM_BOUNDS_US = (0, *(digit * 10**power for power in range(7) for digit in range(1, 10)))
"""Lower bounds of the bins of `Latency.histogram`; the last bin is open."""

HDR_LOWEST_NS, HDR_HIGHEST_NS, HDR_DIGITS = 1, 10_000_000_000, 2
"""`Latency.hdr` holds the counts of an HdrHistogram of these bounds and this precision."""

HdrCounts = tuple[tuple[int, int], ...]
"""Counts of an HdrHistogram: each index that has a count, in order, and the count."""


class FlowKind(enum.IntEnum):
    NONE = 0
    STATS = 1
    LATENCY = 2
    TAGGED = 3
    """A tagged packet group, whose number is the flow id."""
    SET = 4
    """The port's flow set writes the packets; the flow id is a `FlowOrder`."""


class FlowOrder(enum.IntEnum):
    """In which order a stream sends the flows of a set."""

    EACH = 0
    RANDOM = 1
    ANSWER = 2


class CaptureWhat(enum.IntEnum):
    ALL = 0
    CONTROL = 1
    """ARP, ICMP and ICMPv6, in up to two VLAN tags."""


@dataclass(frozen=True)
class FlowCounters:
    """Counters of one flow on one port; bytes with FCS. Received packets with a signature came again, came late, or
    came too late to tell which of both; the others count as none of these."""

    rx_packets: int = 0
    rx_bytes: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    rx_duplicates: int = 0
    rx_reordered: int = 0
    rx_unplaced: int = 0


FLOW_FIELDS = 7


@dataclass(frozen=True)
class FlowsSnapshot:
    """Flows at one instant of the monotonic clock.

    By hardware id: the fields of `FlowCounters` of port 0, then of port 1 and so on. They are plain numbers, since
    there may be a thousand flows to read and tell in milliseconds.
    """

    at_s: float
    counts: dict[int, tuple[int, ...]]

    def flow(self, number: int, port: int) -> FlowCounters:
        return FlowCounters(*self.counts[number][FLOW_FIELDS * port : FLOW_FIELDS * (port + 1)])


@dataclass(frozen=True)
class LatencyCounters:
    """Packets of one latency flow received on all ports; the times are 0 without packets."""

    packets: int = 0
    dropped: int = 0
    duplicate: int = 0
    out_of_order: int = 0
    seq_too_high: int = 0
    seq_too_low: int = 0
    min_ns: int = 0
    max_ns: int = 0
    sum_ns: int = 0
    last_max_ns: int = 0
    jitter_ns: int = 0
    histogram: tuple[int, ...] = (0,) * len(HISTOGRAM_BOUNDS_US)
    hdr: HdrCounts = ()


@dataclass(frozen=True)
class FlowFaults:
    """Packets that look like a latency flow's: with a bad trailer, or of an earlier start."""

    bad_header: int = 0
    old_flow: int = 0


@dataclass(frozen=True)
class TagVlans:
    """VLAN ids in the order of the wire; `second` 0: one tag; `first` 0: no tag has the number."""

    first: int = 0
    second: int = 0


@dataclass(frozen=True)
class Tagged:
    """Packets received of one tagged packet group with one tag; bytes with FCS."""

    packets: int = 0
    bytes: int = 0
    lost: int = 0
    too_high: int = 0
    too_low: int = 0
    out_of_order: int = 0
    duplicate: int = 0


@dataclass(frozen=True)
class CapturedPacket:
    """One packet as sent or received; `data` may be shorter than `packet_len`, which is without FCS."""

    at_s: float
    port: int
    is_tx: bool
    packet_len: int
    data: bytes


@dataclass(frozen=True)
class ProfileState:
    """A profile that was started and has not ended."""

    profile: int
    paused: bool
