"""The lab of a measurement as a value: what was wired to what, on which CPUs, and its JSON in a result's head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

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
    places: tuple[CpuPlace, ...]
    quota_cpus: float | None = None

    def place(self, cpu: int) -> CpuPlace:
        return next(place for place in self.places if place.cpu == cpu)

    def only(self, cpus: frozenset[int]) -> Topology:
        """The same machine with nothing but `cpus` told of."""
        places = tuple(place for place in self.places if place.cpu in cpus)
        return Topology(self.model, places, self.quota_cpus)


@dataclass(frozen=True)
class CpuRoles:
    """CPUs of the tester's workers, of the DUT's workers, and of all control threads."""

    tester: tuple[int, ...]
    dut: tuple[int, ...]
    control: tuple[int, ...]


@dataclass(frozen=True)
class LabFacts:
    """A lab. `kind` is e.g. embedded or linux, `wire` the port type in words; `topology` has the CPUs of the roles.
    `ring_slots` is the number of packets that a link can hold in each direction, None if unknown; `mtu` is the largest
    layer 3 packet of tester and DUT, None in older files."""

    kind: str
    wire: str
    speed_bps: int
    cpus: CpuRoles
    topology: Topology
    ring_slots: int | None = None
    mtu: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def shares_cpus(lab: Mapping[str, Any]) -> bool:
    """Whether, in a lab of ours by the facts of its result, control takes time from the tester's worker or the DUT's.
    Nobody knows of somebody else's."""
    roles = lab.get("cpus")
    if not isinstance(roles, Mapping):
        return False
    return not set(roles.get("control", ())).isdisjoint((*roles.get("tester", ()), *roles.get("dut", ())))


def lab_cpus(lab: Mapping[str, Any]) -> int | None:
    """How many CPUs tester, DUT and control of a lab of ours have together; None of somebody else's."""
    roles = lab.get("cpus")
    if not isinstance(roles, Mapping):
        return None
    return len({cpu for role in ("tester", "dut", "control") for cpu in roles.get(role, ())})


def ring_slots(lab: Mapping[str, Any]) -> int:
    """How many packets wait in a wire of the lab each way; 0 where nobody knows."""
    slots = lab.get("ring_slots")
    return slots if isinstance(slots, int) else 0
