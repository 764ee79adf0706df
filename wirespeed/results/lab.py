"""The lab of a measurement as a value: cabling and CPUs, and its JSON in the head of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from wirespeed.results.codec import LENIENT_ORIGINAL, SPARSE, Number, Stored

ROBUST_NOTE = (
    "control shares CPUs with the workers here, so trials whose loss preemption explains are repeated; "
    "--no-repeat-disturbed counts them"
)


@dataclass(frozen=True)
class CpuPlace:
    """Place of a CPU (a hardware thread). `siblings` are the CPUs of the same core, including itself; core numbers are
    unique within a package only. An isolated CPU gets no process by itself (`isolcpus=`)."""

    cpu: int
    core: int
    package: int
    node: int
    siblings: tuple[int, ...]
    is_isolated: bool = False

    def shares_core(self, other: CpuPlace) -> bool:
        return other.cpu in self.siblings


@dataclass(frozen=True)
class Topology:
    """CPUs of a machine that may be used: `quota_cpus` of them at once (cgroup), None without a limit."""

    model: str
    places: tuple[CpuPlace, ...] = ()
    quota_cpus: float | None = None

    def place(self, cpu: int) -> CpuPlace:
        return next(place for place in self.places if place.cpu == cpu)

    def only(self, cpus: frozenset[int]) -> Topology:
        """The machine, reduced to `cpus`."""
        places = tuple(place for place in self.places if place.cpu in cpus)
        return Topology(self.model, places, self.quota_cpus)


@dataclass(frozen=True)
class CpuRoles:
    """CPUs of the tester's workers, of the DUT's workers, and of all control threads."""

    tester: tuple[int, ...] = ()
    dut: tuple[int, ...] = ()
    control: tuple[int, ...] = ()


@dataclass(frozen=True)
class LatencyBaseline:
    """Latency of the port type alone, in microseconds."""

    min_us: Annotated[Number | None, SPARSE] = None
    median_us: Annotated[Number | None, SPARSE] = None
    p99_us: Annotated[Number | None, SPARSE] = None


@dataclass(frozen=True)
class MeterFacts:
    """A power meter: what it measures (`of`), the DUT's power before the load, and the source of that figure."""

    meter: Annotated[str, SPARSE] = ""
    of: Annotated[str, SPARSE] = ""
    idle_watts: Annotated[Number | None, SPARSE] = None
    idle: Annotated[str, SPARSE] = ""


@dataclass(frozen=True)
class CeilingRate:
    """The highest rate of a tester with one load: percent of the line, and packets per second of each direction."""

    percent: Number
    pps: Number


@dataclass(frozen=True)
class CeilingFacts:
    """The highest rates of the tester without a DUT, by the number of directions that send, and the time of their
    measurement."""

    measured: str
    directions: Mapping[str, CeilingRate]


@dataclass(frozen=True)
class LabTestbed:
    """A testbed file: its mode, its links by port, the tester's ports if it names them, and what the tester reaches."""

    file: Annotated[str, SPARSE] = ""
    mode: Annotated[str, SPARSE] = ""
    links: Annotated[Mapping[str, str], Stored(sparse=True, former="wires")] = field(default_factory=dict)
    ports: Annotated[tuple[str, ...], SPARSE] = ()
    tester_ceiling: Annotated[CeilingFacts | None, SPARSE] = None


@dataclass(frozen=True, kw_only=True)
class LabFacts:
    """A lab. `generator` is the tester's address, `kind` e.g. embedded, linux or testbed, `port_type` in words;
    `latency_baseline` is by direction. `topology` has the CPUs of the roles. `ring_slots` is the number of packets that
    a link can hold in each direction, `mtu` the largest layer 3 packet of tester and DUT, `filter` the NAT or firewall
    of the DUT. Values of other programs are kept as they are."""

    generator: Annotated[str, SPARSE] = ""
    latency_baseline: Annotated[Mapping[str, LatencyBaseline], Stored(sparse=True, former="latency_floor")] = field(
        default_factory=dict
    )
    kind: Annotated[str, SPARSE] = ""
    port_type: Annotated[str, Stored(sparse=True, former="wire")] = ""
    speed_bps: Annotated[int | None, SPARSE] = None
    cpus: Annotated[CpuRoles | None, SPARSE] = None
    topology: Annotated[Topology | None, SPARSE] = None
    ring_slots: Annotated[int | None, SPARSE] = None
    mtu: Annotated[int | None, SPARSE] = None
    filter: Annotated[str, SPARSE] = ""
    testbed: Annotated[LabTestbed | None, Stored(sparse=True, former="bench")] = None
    power: Annotated[MeterFacts | None, SPARSE] = None
    as_read: Annotated[Mapping[str, Any], LENIENT_ORIGINAL] = field(default_factory=dict)

    @property
    def shares_cpus(self) -> bool:
        """True if control threads share CPUs with the workers of tester or DUT; False if the CPUs are not known."""
        return self.cpus is not None and not set(self.cpus.control).isdisjoint((*self.cpus.tester, *self.cpus.dut))

    @property
    def cpu_count(self) -> int | None:
        """The CPUs of tester, DUT and control together; None if they are not known."""
        return None if self.cpus is None else len({*self.cpus.tester, *self.cpus.dut, *self.cpus.control})

    @property
    def idle_watts(self) -> float | None:
        """Power of the DUT before the load; None without a meter."""
        watts = None if self.power is None else self.power.idle_watts
        return None if watts is None else float(watts)
