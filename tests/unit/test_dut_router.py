"""The wirespeed router as a DUT: values from its counters at two times, and the effects of its absence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from struct import Struct

import pytest

from wirespeed.dut.router import RouterDut, RouterReading, Thread, router_telemetry
from wirespeed.errors import ConnectionFault
from wirespeed.results.dut import NodeCost
from wirespeed.router.counters import RouterCounters, WorkerCounters, router_counters
from wirespeed.statseg.layout import StatsEntry, Type, VectorRow
from wirespeed.statseg.reading import StatsCapture

HZ = 1_000_000


def worker(packets: int, clocks: int = 0, absent: int | None = None, longest: int | None = None) -> WorkerCounters:
    nodes = {
        "dpdk-input": NodeCost("dpdk-input", 10 * packets, packets, clocks, packets),
        "ip6-lookup": NodeCost("ip6-lookup", 5, 5, 5, 0),
    }
    return WorkerCounters(10 * packets, packets, packets - 1, 1, nodes, absent, longest)


def counters(*workers: WorkerCounters, ports: dict[str, int] | None = None) -> RouterCounters:
    return RouterCounters(workers, {}, ports or {})


def test_counts_are_of_the_interval() -> None:
    before = counters(worker(100, 1000), worker(50, 500), ports={"e0 rx-miss": 5, "e0 rx-no-buf": 1})
    after = counters(worker(300, 21_000), worker(50, 500), ports={"e0 rx-miss": 25, "e0 rx-no-buf": 2})
    told = router_telemetry(before, after, 0.5, HZ, [Thread("ws_wk_0", 3)], {"ip4-input: bad": 2})
    first, second = told.workers
    assert (told.in_packets, told.out_packets, told.drop_packets) == (200, 200, 20)
    assert told.drops == {"ip4-input: bad": 2, "e0 rx-miss": 20}
    assert told.events == {"e0 rx-no-buf": 1}
    assert (first.name, first.cpu, first.loops, first.clocks_total) == ("ws_wk_0", 3, 2000, 500_000)
    assert first.nodes == (NodeCost("dpdk-input", 2000, 200, 20_000, 200),)  # the other one did not run
    assert (second.name, second.cpu, second.nodes) == ("worker 1", None, ())
    assert first.preempted_s is first.longest_preemption_s is None


def test_a_call_that_began_before_the_interval_leaves_no_negative_rest() -> None:
    told = router_telemetry(counters(worker(1, 0)), counters(worker(2, 700_000)), 0.5, HZ, [], {})
    assert told.workers[0].clocks_total == 700_000
    assert told.workers[0].outside_nodes == 0


def test_a_counter_that_fell_counts_from_zero() -> None:
    before, after = counters(worker(9, 90), ports={"e0 rx-miss": 50}), counters(worker(9, 90), ports={"e0 rx-miss": 3})
    assert router_telemetry(before, after, 1.0, HZ, [], {}).drops == {"e0 rx-miss": 3}


@pytest.mark.parametrize(
    ("before", "after", "preempted_s", "longest_s"),
    [
        ((1000, 400), (1000, 400), 0.0, 0.0),
        ((1000, 400), (3000, 1500), 0.002, 0.0015),
        ((1000, 400), (1300, 400), 0.0003, None),  # none of them was longer than an earlier one
        ((None, None), (1300, 400), None, None),
    ],
)
def test_preemption(
    before: tuple[int | None, int | None],
    after: tuple[int | None, int | None],
    preempted_s: float | None,
    longest_s: float | None,
) -> None:
    told = router_telemetry(counters(worker(1, 0, *before)), counters(worker(1, 0, *after)), 1.0, HZ, [], {})
    assert told.workers[0].preempted_s == preempted_s
    assert told.workers[0].longest_preemption_s == longest_s


@pytest.mark.parametrize(
    ("preempted", "longest"),
    [("preempted-clocks", "longest-preemption-clocks"), ("absent-clocks", "longest-absence-clocks")],
)
def test_the_preemption_of_an_older_router_has_other_names(preempted: str, longest: str) -> None:
    counts = {"loops": 1, "rx": 2, "tx": 3, "drops": 4, preempted: 500, longest: 300}
    entries = [
        StatsEntry(f"/sys/{name}", Type.SIMPLE, 1, (VectorRow(8 * at, 1),) * 2) for at, name in enumerate(counts)
    ]
    losses = ("names", "rx-miss", "rx-error", "rx-no-buf", "tx-error")
    entries += [StatsEntry(f"/if/{name}", Type.SIMPLE, 1, (VectorRow(0, 0),)) for name in losses]
    words = Struct(f"<{len(counts)}Q").pack(*counts.values())
    (found,) = router_counters(StatsCapture(1.0, 1, HZ, tuple(entries), ((0, words),))).workers
    assert (found.loops, found.preempted_ticks, found.longest_preemption_ticks) == (1, 500, 300)


@pytest.mark.parametrize(
    ("sleeps", "waits", "preempted_s"),
    [
        (0, [], 0.5),
        (3, [], 0.0),
        (3, [0.009], 0.0),
        (3, [0.2], 0.2),
        (3, [0.5], 0.5),
        (None, [0.2], 0.0),
    ],
)
def test_a_worker_that_ended_no_iteration_is_preempted_unless_it_may_sleep(
    sleeps: int | None, waits: list[float], preempted_s: float
) -> None:
    before = replace(worker(1, 0, 0, 0), sleeps=sleeps)
    (told,) = router_telemetry(counters(before), counters(before), 0.5, HZ, [], {}, waits).workers
    assert told.preempted_s == preempted_s
    assert told.longest_preemption_s == (preempted_s if preempted_s in (0.0, 0.5) else None)


def test_a_router_that_started_anew_is_told_of() -> None:
    first, second = (RouterReading(at, capture=StatsCapture(at, int(at), HZ, (), ())) for at in (1.0, 2.0))
    told = RouterDut(Path("/nowhere/router.sock")).telemetry(first, second)
    assert told.error == "the router was restarted in between: its counters began at 0"
    assert (told.in_packets, told.workers, told.in_pps) == (None, (), None)


def test_a_router_that_is_not_there() -> None:
    dut = RouterDut(Path("/nowhere/router.sock"))
    with pytest.raises(ConnectionFault, match="no router writes /nowhere/router.stats"):
        dut.prepare()
    reading = dut.reading()
    assert reading.error is not None and reading.error.startswith("no router writes /nowhere/router.stats")
    assert dut.telemetry(reading, dut.reading()).error == reading.error
    assert dut.telemetry(None, None).error == "the router was not read"
    assert "no router answers" in dut.collect()["show runtime"]
    dut.close()
