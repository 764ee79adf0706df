"""The lab of a measurement as a value: what was wired to what, on which CPUs, and its JSON in a result's head."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class CpuPlace:
    """Where a CPU (a hardware thread) sits. `siblings` are the CPUs of the same core, itself among them; core numbers
    are unique within a package only. An isolated one gets no process by itself (isolcpus=)."""

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
    """Which CPUs the tester's workers, the DUT's and all control threads run on."""

    tester: tuple[int, ...]
    dut: tuple[int, ...]
    control: tuple[int, ...]


@dataclass(frozen=True)
class LabFacts:
    """`kind` is embedded, linux or such, `wire` the medium in words; `topology` has the CPUs of the roles."""

    kind: str
    wire: str
    speed_bps: int
    cpus: CpuRoles
    topology: Topology

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> LabFacts:
        """The facts of a file of ours; KeyError, TypeError or ValueError for one that has none of them or others."""
        roles, topology = raw["cpus"], raw["topology"]
        places = (CpuPlace(**{**place, "siblings": tuple(place["siblings"])}) for place in topology["places"])
        return cls(
            kind=raw["kind"],
            wire=raw["wire"],
            speed_bps=raw["speed_bps"],
            cpus=CpuRoles(**{role: tuple(roles[role]) for role in ("tester", "dut", "control")}),
            topology=Topology(topology["model"], tuple(places), topology["quota_cpus"]),
        )
