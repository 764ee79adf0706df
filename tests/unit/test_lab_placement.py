"""The CPUs that a lab uses, on made-up machines."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

import pytest

from wirespeed.errors import EnvironmentFault
from wirespeed.lab.embedded import DEEP_SLOTS, SHALLOW_SLOTS, slots_for
from wirespeed.machine.placement import limits, place
from wirespeed.results.codec import from_json, to_json
from wirespeed.results.lab import CpuPlace, LabFacts, Topology


def machine(
    cores: Sequence[tuple[int, ...]],
    *,
    nodes: Sequence[int] | None = None,
    allowed: Collection[int] | None = None,
    isolated: Collection[int] = (),
    quota: float | None = None,
) -> Topology:
    """`cores` are the CPUs of each core; `nodes` is the NUMA node of each core, which is also its package."""
    places = [
        CpuPlace(cpu, core, node, node, siblings, cpu in isolated)
        for core, (siblings, node) in enumerate(zip(cores, nodes or [0] * len(cores), strict=True))
        for cpu in siblings
        if allowed is None or cpu in allowed
    ]
    return Topology("Made Up 9000", tuple(sorted(places, key=lambda one: one.cpu)), quota)


SINGLE = [(cpu,) for cpu in range(4)]
FOLDED = [(cpu, cpu + 4) for cpu in range(4)]
"""4 cores, 8 threads, as Intel numbers them."""
ADJACENT = [(2 * core, 2 * core + 1) for core in range(4)]
"""The same as AMD and hypervisors number them."""
TWO_SOCKETS = [(core, core + 64) for core in range(64)]


@pytest.mark.parametrize(
    ("topology", "generator", "dut", "control"),
    [
        pytest.param(machine(SINGLE[:2]), 0, 1, (0,), id="2 vCPU: control shares the tester's"),
        pytest.param(machine(SINGLE), 2, 3, (0, 1), id="4 vCPU"),
        pytest.param(machine(FOLDED), 6, 7, (0, 1, 4, 5), id="4c/8t folded: control off both cores"),
        pytest.param(machine(ADJACENT), 5, 7, (0, 1, 2, 3), id="4c/8t adjacent: not 6 and 7"),
        pytest.param(machine(ADJACENT[:1]), 0, 1, (0,), id="1c/2t: nothing better"),
        pytest.param(machine(ADJACENT[:2]), 1, 3, (0,), id="2c/4t: control beside the tester, not the router"),
        pytest.param(machine(ADJACENT, allowed={4, 5, 6}), 5, 6, (4,), id="cgroup of 3 CPUs, two on one core"),
        pytest.param(machine(FOLDED, allowed={1, 5, 7}), 5, 7, (1,), id="cgroup of 3 CPUs, the tester's sibling left"),
        pytest.param(machine(FOLDED, allowed={3, 7}), 3, 7, (3,), id="cgroup of one core"),
        pytest.param(
            machine(SINGLE, nodes=[0, 0, 1, 1]), 2, 3, (0, 1), id="2 nodes: both on one, control on the other"
        ),
        pytest.param(
            machine(SINGLE, nodes=[0, 1, 0, 1], allowed={0, 2, 3}), 0, 2, (3,), id="2 nodes, one CPU left of the second"
        ),
        pytest.param(machine(ADJACENT[:2], nodes=[0, 1]), 1, 3, (0,), id="2 cores on 2 nodes: cores come first"),
        pytest.param(machine(SINGLE, isolated={1, 2}), 1, 2, (0, 3), id="isolated ones for the workers"),
        pytest.param(machine(SINGLE, isolated={1}), 3, 1, (0, 2), id="one isolated: the router has it"),
        pytest.param(machine(SINGLE, isolated={1, 2, 3}), 2, 3, (0,), id="control off what is isolated"),
        pytest.param(machine(SINGLE, isolated={0, 1, 2, 3}), 2, 3, (0, 1), id="all isolated"),
    ],
)
def test_who_runs_where(topology: Topology, generator: int, dut: int, control: tuple[int, ...]) -> None:
    cpus = place(topology)
    assert (cpus.generator, cpus.dut, cpus.control) == (generator, dut, control)
    assert cpus.all == {generator, dut, *control}
    assert {one.cpu for one in cpus.topology.places} == cpus.all


def test_two_sockets_with_cpus_above_64() -> None:
    cpus = place(machine(TWO_SOCKETS, nodes=[0] * 32 + [1] * 32))
    assert (cpus.generator, cpus.dut) == (126, 127)  # cores 62 and 63, on node 1
    assert {62, 63, 126, 127}.isdisjoint(cpus.control)
    assert len(cpus.control) == 124


def test_cpus_above_32() -> None:
    cpus = place(machine(TWO_SOCKETS, nodes=[0] * 32 + [1] * 32, allowed=set(range(30, 40))))
    assert (cpus.generator, cpus.dut) == (38, 39)


@pytest.mark.parametrize(("allowed", "said"), [({3}, "this process has CPU 3"), (set(), "this process has none")])
def test_one_cpu_is_too_few(allowed: set[int], said: str) -> None:
    with pytest.raises(EnvironmentFault, match=f"a lab needs two CPUs, .*; {said}"):
        place(machine(SINGLE, allowed=allowed))


@pytest.mark.parametrize(
    ("topology", "said"),
    [
        (machine(SINGLE), []),
        (machine(SINGLE, quota=2.0), []),
        (machine(SINGLE, quota=1.5), ["the control group allows 1.5 CPUs' time"]),
        (machine(ADJACENT[:1]), ["CPUs 0 and 1 are two threads of one core"]),
        (machine(SINGLE[:2], nodes=[0, 1]), ["CPUs 0 and 1 are on two NUMA nodes"]),
        (machine(ADJACENT[:1], quota=0.5), ["the control group allows 0.5 CPUs'", "CPUs 0 and 1 are two threads"]),
    ],
)
def test_what_disturbs_is_said_in_a_line_each(topology: Topology, said: list[str]) -> None:
    lines = list(limits(place(topology)))
    assert len(lines) == len(said)
    assert all(line.startswith(start) and "\n" not in line for line, start in zip(lines, said, strict=True))


def test_facts_survive_their_file() -> None:
    cpus = place(machine(FOLDED, quota=3.5))
    facts = LabFacts(kind="embedded", speed_bps=10_000_000_000, cpus=cpus.roles, topology=cpus.topology)
    assert from_json(LabFacts, json.loads(json.dumps(to_json(facts)))) == facts
    assert to_json(facts)["cpus"]["tester"] == [6]


@pytest.mark.parametrize(
    ("meminfo", "slots"),
    [
        ("MemTotal: 16000000 kB\nMemAvailable:   12000000 kB\n", DEEP_SLOTS),
        ("MemTotal: 16000000 kB\nMemAvailable:    2000000 kB\n", SHALLOW_SLOTS),
        ("", SHALLOW_SLOTS),
    ],
)
def test_rings_are_as_deep_as_there_is_memory_for(meminfo: str, slots: int) -> None:
    assert slots_for(meminfo) == slots
