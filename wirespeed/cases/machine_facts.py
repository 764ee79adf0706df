"""Facts about the machine of a DUT: clocks, NUMA nodes, NICs, sensors, power. Values, each with its source.

As in facts.py, nothing here judges, and None and empty mean unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Clock:
    """Frequency of a CPU under load, and its rated frequency without boost, in Hz."""

    cpu: str
    now_hz: float
    rated_hz: float | None = None
    source: str = ""

    @property
    def share(self) -> float | None:
        """Clock as a share of the rated clock."""
        return self.now_hz / self.rated_hz if self.rated_hz else None


@dataclass(frozen=True)
class Crossing:
    """A NIC on one NUMA node, and a CPU that forwards its packets on another."""

    nic: str
    nic_node: int
    cpu: int
    cpu_node: int
    source: str = ""


@dataclass(frozen=True)
class NicFacts:
    """An interface: RX queues as they are set and at most, TX descriptors. `queue_packets` came in by RX queue over
    the test, `counters` are its driver's own of that time."""

    name: str
    driver: str = ""
    queues: int | None = None
    most_queues: int | None = None
    tx_slots: int | None = None
    queue_packets: Mapping[str, int] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)
    source: str = ""

    @property
    def rx_packets(self) -> int:
        """Packets received, by the driver's own sum or by its queues; 0 if neither is known."""
        return self.counters.get("rx_packets", 0) or sum(self.queue_packets.values())

    @property
    def fullest_share(self) -> float | None:
        """The part of its packets that the fullest queue had; None of fewer than two queues or without packets."""
        total = sum(self.queue_packets.values())
        return max(self.queue_packets.values()) / total if len(self.queue_packets) > 1 and total else None


@dataclass(frozen=True)
class Optic:
    """A module in a cage, with its alarms."""

    interface: str
    faults: tuple[str, ...]
    rx_mw: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Perf:
    """Counts of `perf stat` under load, per packet."""

    cycles: float | None = None
    instructions: float | None = None
    source: str = ""


@dataclass(frozen=True)
class Energy:
    """Watts at the load, and before it."""

    watts: float
    idle_w: float | None = None
    source: str = ""


@dataclass(frozen=True)
class MachineFacts:
    """All of it. `throttled` counts how often CPUs were slowed down for their heat."""

    clocks: tuple[Clock, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    nics: tuple[NicFacts, ...] = ()
    optics: tuple[Optic, ...] = ()
    temperatures_c: Mapping[str, float] = field(default_factory=dict)
    throttled: int = 0
    governor: str = ""
    hypervisor: str = ""
    perf: Perf | None = None
    energy: Energy | None = None
    source: str = ""
