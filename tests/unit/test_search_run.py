"""Whole searches with a simulated T-Rex: results, and the end of searches that cannot continue."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import ConnectionFault, MeasurementError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.search.goals import goals_of
from wirespeed.measurement.search.plan import LatencyPlan, MrrPlan, SearchPlan
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import SearchProgress, raise_for_ending, run_search
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import LabFacts
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate

pytestmark = pytest.mark.early

LINE_PPS = 10e9 / 672
SHAPE = "exceed=50%,initial=0.05,final=0.05,sum=0.2,width=5%"
QUICK = SearchPlan(
    "bench",
    {"size": "64", "vm": "var2"},
    goals=goals_of([f"ndr:loss=0,{SHAPE}", f"pdr:loss=0.5%,{SHAPE}"], "csit"),
    warmup_s=0.05,
    lab=LabFacts(kind="simulated"),
    dut=DutFacts("a loop"),
)


def run(trex: SimulatedTrex, plan: SearchPlan = QUICK, **more: Any) -> SearchResult:
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        return run_search(plan, Execution(client, **more))


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a search left traffic, streams or ports behind"


@pytest.mark.parametrize("extended", [True, False])
def test_the_capacity_of_a_device_is_found(extended: bool) -> None:
    capacity = 4e6
    with loop(extended=extended, capacity_pps=capacity) as trex:
        result = run(trex)
    assert result.ending.status == "complete"
    assert result.of("warm-up") == result.trials[:1]
    for outcome in result.goals:
        assert outcome.limit == "dut" and not outcome.irregular
        assert outcome.lower_pps is not None and outcome.upper_pps is not None
        assert outcome.lower_pps <= capacity * 1.006
        assert outcome.upper_pps >= capacity * 0.994
        assert (outcome.upper_pps - outcome.lower_pps) / outcome.upper_pps <= 0.05
    raise_for_ending(result)


def test_a_device_that_carries_the_line_is_not_searched_for_long() -> None:
    with loop() as trex:
        result = run(trex)
    assert [outcome.limit for outcome in result.goals] == ["line", "line"]
    assert result.most_pps == pytest.approx(LINE_PPS)
    assert result.goals[0].lower_pps == pytest.approx(LINE_PPS, rel=1e-6)
    assert result.line_percent(result.goals[0].lower_pps or 0) == pytest.approx(100)


def test_the_testers_limit_is_not_the_devices() -> None:
    with loop(tester_pps=3e6) as trex:
        result = run(trex, replace(QUICK, directions=pair_directions(only="0-1")))
    for outcome in result.goals:
        assert outcome.limit == "tester"
        assert outcome.lower_pps == pytest.approx(3e6, rel=0.06)
    above = [trial for trial in result.of("search") if trial.trial.tester_limited]
    # On a busy machine trials last longer: one of half the goal's duration is a bound, which is as good a test as three
    # trials.
    assert len(above) >= 3 or sum(trial.trial.effective_s for trial in above) > 0.1
    assert len(above) <= 12 and len(result.trials) <= 40
    assert all(trial.not_sent_ratio > 0 and trial.lost_ratio == 0 for trial in above)


def test_loads_between_others_and_another_line() -> None:
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, replace(QUICK, least=Rate(1e6, "pps"), most=Rate(20, "percentage")))
        assert (result.least_pps, result.most_pps) == (1e6, pytest.approx(0.2 * LINE_PPS))
        assert [outcome.limit for outcome in result.goals] == ["maximum", "maximum"]
        assert all(1e6 <= trial.load_pps <= 0.2 * LINE_PPS * 1.0001 for trial in result.trials)
        result = run(trex, replace(QUICK, line_bps=1e9))
        assert result.most_pps == pytest.approx(LINE_PPS / 10)
        assert [outcome.limit for outcome in result.goals] == ["line", "line"]


def test_mrr_alone() -> None:
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, replace(QUICK, goals=(), mrr=MrrPlan(4, 0.05)))
    assert [trial.purpose for trial in result.trials] == ["mrr"] * 4
    assert result.mrr is not None and result.mrr.count == 4
    assert result.mrr.mean_pps == pytest.approx(8e6, rel=0.1)  # sum of both directions
    assert result.mrr.least_pps <= result.mrr.mean_pps <= result.mrr.most_pps


def test_latency_at_shares_of_pdr() -> None:
    plan = replace(QUICK, latency=LatencyPlan(1000.0, 0.1), directions=pair_directions(only="0-1"))
    with loop(extended=False, capacity_pps=4e6) as trex:
        result = run(trex, plan)
    pdr = result.goals[1].lower_pps
    assert pdr is not None
    trials = result.of("latency")
    assert [trial.label for trial in trials] == ["no load", "10 % of PDR", "50 % of PDR", "90 % of PDR"]
    assert [trial.load_pps for trial in trials] == [1000, *(pytest.approx(share * pdr) for share in (0.1, 0.5, 0.9))]
    for trial in trials:
        for channel in trial.trial.channels.values():
            assert channel.latency is not None and channel.latency.packets > 0


def test_what_was_found_comes_back_from_its_file(tmp_path: Path) -> None:
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, replace(QUICK, mrr=MrrPlan(2, 0.05), latency=LatencyPlan(1000.0, 0.05), name="x"))
    file = tmp_path / "x.json"
    write_file(result, file)
    assert read_file(file) == result


def test_a_watcher_sees_each_trial_and_the_intervals_narrow() -> None:
    seen: list[SearchProgress] = []
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, watch=seen.append)
    assert tuple(progress.trial for progress in seen if progress.trial is not None) == result.trials
    last = seen[-1].intervals
    assert [interval.goal.name for interval in last] == ["ndr", "pdr"]
    assert seen[-1].spent_s == pytest.approx(sum(trial.trial.effective_s for trial in result.trials))


def test_stop_keeps_what_is_known_as_irregular() -> None:
    stop = threading.Event()

    def watch(progress: SearchProgress) -> None:
        if progress.count >= 4:
            stop.set()

    with loop(capacity_pps=4e6) as trex:
        result = run(trex, watch=watch, stop=stop)
    assert result.ending.status == "interrupted"
    assert len(result.trials) == 4
    assert all(outcome.irregular == "the search was ended before it was done" for outcome in result.goals)


def test_the_time_given_ends_it() -> None:
    with loop(capacity_pps=4e6) as trex:
        result = run(trex, replace(QUICK, limit_s=0.1))
    assert result.ending.status == "complete"
    assert {outcome.irregular for outcome in result.goals} == {"the time of 0.1 s was over"}


def test_a_generator_that_goes_away_fails_the_search_and_keeps_its_trials() -> None:
    with SimulatedTrex(capacity_pps=4e6, dies_after=30) as trex:
        result = run(trex)
    assert (result.ending.status, result.ending.exit_code) == ("failed", 4)
    assert result.trials
    with pytest.raises(ConnectionFault):
        raise_for_ending(result)


def test_a_device_that_returns_nothing_means_nothing() -> None:
    with loop(silent=(1,)) as trex:
        result = run(trex, replace(QUICK, directions=pair_directions(only="0-1")))
    with pytest.raises(MeasurementError, match="the DUT returned nothing"):
        raise_for_ending(result)


def test_a_device_that_loses_at_the_lowest_load_reaches_no_goal() -> None:
    with loop(capacity_pps=1e6) as trex:
        result = run(trex, replace(QUICK, least=Rate(2e6, "pps")))
    assert [outcome.limit for outcome in result.goals] == ["minimum", "minimum"]
    with pytest.raises(MeasurementError, match=r"no goal is reached: the lowest load, 2,000,000 pps, lost more than"):
        raise_for_ending(result)


@pytest.mark.parametrize(
    ("changes", "simulation", "message"),
    [
        ({"least": Rate(50, "percentage"), "most": Rate(40, "percentage")}, {}, "--min 50% is not below --max 40%"),
        ({"most": Rate(20e6, "pps")}, {}, "--max of 20mpps exceeds the line rate of port"),
        ({}, {"speed_gbps": 0.0}, "has no line speed"),
        (
            {"goals": goals_of(["x:loss=0,final=0.05,initial=0.05,sum=1,width=1e-9"], "csit")},
            {},
            "less than one packet",
        ),
    ],
)
def test_what_cannot_be_searched_is_said_before_anything_is_sent(
    changes: dict[str, Any], simulation: dict[str, Any], message: str
) -> None:
    with loop(**simulation) as trex:
        with pytest.raises(UsageError, match=message):
            run(trex, replace(QUICK, **changes))
        assert not trex.ports[0].rates_asked
