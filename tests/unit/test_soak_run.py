"""Whole soaks with a simulated T-Rex: results, how soaks end, and how they continue."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import ConnectionFault, EnvironmentFault, MeasurementError, UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import of_journal, read_file, write_file
from wirespeed.measurement.soak import run as soak_run
from wirespeed.measurement.soak.journal import SoakJournal
from wirespeed.measurement.soak.live import plain_line, summary
from wirespeed.measurement.soak.plan import SoakPlan, plan_of
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.run import SoakProgress, run_soak
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import raise_for
from wirespeed.results.journal import Journal
from wirespeed.results.lab import LabFacts
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate

pytestmark = pytest.mark.early

PERIOD_S = 0.05
RATE_PPS = 1e6
PLAN = SoakPlan(
    "bench",
    {"size": "64", "vm": "var2"},
    load=Rate(RATE_PPS, "pps"),
    duration_s=12 * PERIOD_S,
    target_ratio=1e-4,
    patience_s=0.0,
    lab=LabFacts(kind="simulated"),
    dut=DutFacts("a loop"),
)

ENDLESS = replace(PLAN, duration_s=1000.0)
"""A soak that a slow machine does not end before it is killed."""


@pytest.fixture(autouse=True)
def _short_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything follows from readings and their times, so seconds can be short."""
    monkeypatch.setattr(soak_run, "PERIOD_S", PERIOD_S)
    monkeypatch.setattr(soak_run, "_SILENT_AFTER_S", 3 * PERIOD_S)
    monkeypatch.setattr(soak_run, "_ASK_AGAIN_S", 0.01)
    monkeypatch.setattr("wirespeed.measurement.soak.run.check_plan", lambda _: None)


def run(trex: SimulatedTrex, plan: SoakPlan = PLAN, earlier: SoakResult | None = None, **more: Any) -> SoakResult:
    with GeneratorClient(trex.server, timeout_s=0.5) as client:
        client.connect()
        return run_soak(plan, Execution(client, **more), earlier=earlier)


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a soak left traffic, streams or ports behind"


@pytest.mark.parametrize("extended", [True, False])
def test_a_loop_loses_nothing(extended: bool) -> None:
    seen: list[SoakProgress] = []
    with loop(extended=extended) as trex:
        result = run(trex, watch=seen.append)
    verdict = result.verdict
    assert result.ending.status == "complete"
    assert verdict.watched_s > PLAN.duration_s - PERIOD_S  # a busy machine makes the last reading late
    assert verdict.offered > 0 and result.total is not None
    # A T-Rex's ports are not read at the same time: packets that came back too late for a reading have arrived at the
    # end.
    assert verdict.lost == 0 or not extended
    if extended:
        assert (verdict.event_count, verdict.unplaced) == (0, 0)
        assert verdict.upper_ratio == pytest.approx(2.99573 / verdict.offered, rel=1e-4)
        assert verdict.shown == (verdict.upper_ratio <= 1e-4)
    assert set(result.total.flows) == set(PLAN.directions)
    latencies = [flow.latency for flow in result.total.flows.values()]
    assert all(one is not None and one.packets > 0 for one in latencies)
    assert "lost 0 of" in plain_line(seen[0], seen[0].span) or not extended  # type: ignore[arg-type]
    assert any("shown at 95 %" in line for line in summary(result, verdict_of(result), "x.json"))
    raise_for(result.ending)


def test_what_the_device_loses_is_found_and_is_its_own() -> None:
    with loop(extended=False, capacity_pps=0.75 * RATE_PPS) as trex:
        result = run(trex, replace(PLAN, directions=pair_directions(only="0-1"), latency_pps=None))
    verdict = result.verdict
    # The device loses a quarter of all offered packets, including those sent after the last reading.
    assert verdict.loss_ratio == pytest.approx(0.25, rel=0.001)
    assert verdict.lower_ratio < verdict.loss_ratio < verdict.upper_ratio
    assert not verdict.shown
    assert result.events and result.events[0].cause == "dut"
    assert result.total is not None
    assert result.total.lost + verdict.unplaced == verdict.lost
    assert sum(event.lost for event in result.events) == result.total.lost
    assert verdict.worst_minute is not None and verdict.worst_minute.lost == result.minutes[0].lost
    assert any("the loss ratio is above it" in line for line in summary(result, verdict_of(result), None))


def test_what_is_under_way_in_the_device_is_no_loss() -> None:
    with loop(latency_s=0.004) as trex:
        result = run(trex)
    assert result.verdict.lost == 0
    assert result.verdict.unplaced <= 0


def test_stopping_gives_the_verdict_of_what_was_seen(tmp_path: Path) -> None:
    stop = threading.Event()

    def watch(progress: SoakProgress) -> None:
        if progress.chronicle.watched_s > 3 * PERIOD_S:
            stop.set()

    with loop() as trex:
        result = run(trex, replace(PLAN, duration_s=1000.0), stop=stop, watch=watch)
    assert result.ending.status == "interrupted"
    assert 0 < result.verdict.watched_s < 1000
    write_file(result, tmp_path / "x.json")
    assert read_file(tmp_path / "x.json") == replace(result, name="x")


def test_a_device_that_returns_nothing_ends_it() -> None:
    with loop(silent=(0, 1)) as trex:
        result = run(trex)
    assert result.ending.status == "failed"
    with pytest.raises(MeasurementError, match="returned nothing"):
        raise_for(result.ending)


def test_loads_that_no_line_carries_and_ports_without_a_line() -> None:
    with loop() as trex, pytest.raises(UsageError, match="--load"):
        run(trex, replace(PLAN, load=Rate(20e9, "bpsl1")))
    with loop(speed_gbps=0) as trex, pytest.raises(UsageError, match="has no line speed"):
        run(trex, replace(PLAN, load=Rate(30, "percentage")))
    with loop(no_link=(1,)) as trex, pytest.raises(EnvironmentFault, match="has no link"):
        run(trex)


def journaled(path: Path, trex: SimulatedTrex, watch: Callable[[SoakProgress], None], plan: SoakPlan = PLAN) -> None:
    """A soak whose program ends as if killed: traffic is not stopped, and the journal stays unchanged."""

    class Killed(BaseException):
        pass

    def killing(progress: SoakProgress) -> None:
        try:
            watch(progress)
        except AssertionError:
            trex_calls = trex.methods
            del trex_calls[:]
            raise Killed from None

    client = GeneratorClient(trex.server, timeout_s=0.5)
    client.connect()
    client.release = lambda ports: None  # type: ignore[method-assign]
    client.stop = lambda ports: None  # type: ignore[method-assign]
    journal = Journal(path)
    with pytest.raises(Killed):
        run_soak(plan, Execution(client, watch=killing, recorder=SoakJournal(journal)))
    journal.close()
    client.close()


def after(seconds: float) -> Callable[[SoakProgress], None]:
    def watch(progress: SoakProgress) -> None:
        assert progress.chronicle.watched_s < seconds

    return watch


def longer(earlier: SoakResult) -> SoakPlan:
    """The plan that continues a soak for long enough to see something new."""
    return plan_of(earlier, earlier.verdict.watched_s + 8 * PERIOD_S)


@pytest.mark.parametrize("long", [False, True])
def test_traffic_that_went_on_is_taken_up_and_the_gap_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    if long:
        monkeypatch.setattr("wirespeed.measurement.soak.journal.COMPACT_AFTER", 2)
    path = tmp_path / "x.json.part"
    with loop() as trex:
        journaled(path, trex, after(4 * PERIOD_S), ENDLESS)
        assert all(port.active for port in trex.ports)
        earlier = of_journal(path.read_text(), path)
        assert isinstance(earlier, SoakResult) and earlier.mark is not None
        assert earlier.ending.status == "interrupted" and not earlier.is_empty
        sent = [port.rates_asked[:] for port in trex.ports]
        with path.open("a") as file:
            file.write('{"second": {"torn')
        journal = Journal(path, go_on=True)
        result = run(trex, longer(earlier), earlier=earlier, recorder=SoakJournal(journal))
        journal.close()
        # Neither stopped nor loaded again: the load was set once more, and stopped at the end.
        assert [port.rates_asked for port in trex.ports] == [[*rates, rates[0], 0.0] for rates in sent]
        assert "add_stream" not in trex.methods
    assert result.ending.status == "complete"
    (gap,) = result.gaps
    assert gap.blind == "controller" and gap.lost == 0 and gap.offered is not None and gap.offered > 0
    verdict = result.verdict
    assert verdict.unwatched_offered == gap.offered and verdict.lost == 0
    # No packet is left out: those of the gap, and those sent after the last reading.
    assert verdict.offered == sum(port.sent(trex.now_s)[0] for port in trex.ports)
    # No packet is left out: those of the gap, and those sent after the last reading.
    assert verdict.offered == sum(port.sent(trex.now_s)[0] for port in trex.ports)
    assert json.loads(path.read_text().splitlines()[1])["state"]


def test_a_generator_that_began_anew_leaves_a_gap_of_which_nothing_is_known(tmp_path: Path) -> None:
    path = tmp_path / "x.json.part"
    with SimulatedTrex() as first:
        journaled(path, first, after(4 * PERIOD_S), ENDLESS)
    earlier = of_journal(path.read_text(), path)
    assert isinstance(earlier, SoakResult)
    with loop() as second:
        result = run(second, longer(earlier), earlier=earlier)
    (gap,) = result.gaps
    assert (gap.offered, gap.lost) == (None, None)
    assert result.verdict.lost == 0 and result.ending.status == "complete"
    assert result.verdict.watched_s > longer(earlier).duration_s - PERIOD_S


def test_a_soak_that_was_ended_is_taken_up_without_a_doubt_about_the_time_between() -> None:
    with loop() as trex:
        first = run(trex)
        result = run(trex, longer(first), earlier=first)
    (gap,) = result.gaps
    assert (gap.offered, gap.lost) == (0, 0)
    assert result.verdict.watched_s > first.verdict.watched_s
    assert result.intended_s == longer(first).duration_s


def test_a_generator_that_stays_away_ends_it_and_what_was_seen_is_kept() -> None:
    with SimulatedTrex(dies_after=40) as trex:
        result = run(trex, replace(PLAN, duration_s=1000.0))
    assert result.ending.status == "failed" and not result.is_empty
    with pytest.raises(ConnectionFault, match="stopped answering"):
        raise_for(result.ending)
