"""CPUs of a lab: tester and DUT each get an undisturbed one, control gets the rest. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from wirespeed.errors import EnvironmentFault
from wirespeed.machine.topology import read_topology
from wirespeed.results.lab import CpuPlace, CpuRoles, Topology

LEAST_CPUS = 2


@dataclass(frozen=True)
class LabCpus:
    """CPUs of the tester's worker and of the DUT's worker, and those of all control threads.

    With two CPUs control shares the tester's: a preempted tester catches up, a preempted DUT loses packets.
    """

    generator: int
    dut: int
    control: tuple[int, ...]
    topology: Topology

    @property
    def all(self) -> frozenset[int]:
        return frozenset((self.generator, self.dut, *self.control))

    @property
    def main_cpu(self) -> list[str]:
        """The option that keeps a program's main thread there."""
        return ["--main-cpu", ",".join(str(cpu) for cpu in self.control)]

    @property
    def roles(self) -> CpuRoles:
        return CpuRoles((self.generator,), (self.dut,), self.control)


def choose_cpus() -> LabCpus:
    """The CPUs of a lab on this machine; EnvironmentFault when this process may use one only."""
    return place(read_topology())


def place(topology: Topology) -> LabCpus:
    """The CPUs of a lab on this machine; EnvironmentFault when there is one only.

    Tester and DUT are on two cores, if there are two: siblings share one's execution units. Then on one NUMA node,
    since memory of another is further away; then on isolated CPUs, the DUT first; then on the highest, for interrupts
    and everything else begin at 0. Control keeps away from both their cores, and from isolated CPUs, if it can.
    """
    if len(topology.places) < LEAST_CPUS:
        only = f"has CPU {topology.places[0].cpu}" if topology.places else "has none"
        raise EnvironmentFault(f"a lab needs two CPUs, one for the tester and one for the router; this process {only}")
    tester, dut = max(permutations(topology.places, 2), key=lambda pair: _worth(*pair))
    control = _control(topology.places, tester, dut)
    cpus = frozenset((tester.cpu, dut.cpu, *control))
    return LabCpus(tester.cpu, dut.cpu, control, topology.only(cpus))


def _worth(tester: CpuPlace, dut: CpuPlace) -> tuple[int, ...]:
    return (
        not tester.shares_core(dut),
        tester.node == dut.node,
        tester.is_isolated + dut.is_isolated,
        dut.is_isolated,
        dut.cpu,
        tester.cpu,
    )


def _control(places: Sequence[CpuPlace], tester: CpuPlace, dut: CpuPlace) -> tuple[int, ...]:
    """All CPUs of the best kind that there is."""
    others = [place for place in places if place not in (tester, dut)]
    apart = [place for place in others if not place.shares_core(tester) and not place.shares_core(dut)]
    beside_tester = [place for place in others if not place.shares_core(dut)]
    for kind in (apart, beside_tester, others):
        best = [place for place in kind if not place.is_isolated] or kind
        if best:
            return tuple(place.cpu for place in best)
    return (tester.cpu,)


def limits(cpus: LabCpus) -> Iterator[str]:
    """Reasons why a measurement on these CPUs is disturbed, a line each."""
    topology = cpus.topology
    quota = topology.quota_cpus
    if quota is not None and quota < LEAST_CPUS:
        yield (
            f"the control group allows {quota:g} CPUs' time and tester and router take one each, so both are stopped "
            "again and again: set its cpu.max to two CPUs or more"
        )
    tester, dut = topology.place(cpus.generator), topology.place(cpus.dut)
    if tester.shares_core(dut):
        yield f"CPUs {tester.cpu} and {dut.cpu} are two threads of one core: tester and router slow each other down"
    elif tester.node != dut.node:
        yield f"CPUs {tester.cpu} and {dut.cpu} are on two NUMA nodes: what one writes is far from the other"
