"""The tests, each for one number of flows. Each runs trials and returns a row of the result."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from wirespeed.errors import MeasurementError, UsageError, WirespeedError
from wirespeed.measurement.rfc.bench import DISTURBED_REPEATS, remarks, said, throughput_goal
from wirespeed.measurement.rfc.loss import LossPoint, frame_loss, loss_point
from wirespeed.measurement.stateful.bench import StatefulBench, StatefulStep
from wirespeed.measurement.stateful.result import (
    LEAST_PHASE_S,
    NOT_PROVED,
    CapacityRow,
    CapacityStep,
    FoundRow,
    RateRow,
    Row,
    StatefulTrial,
    StateLatencyRow,
    StateLossRow,
    StateThroughputRow,
    TearDownRow,
    Way,
)
from wirespeed.results.search_trial import BoundLimit, Goal, GoalOutcome, Purpose, SearchTrial
from wirespeed.trial.controller import Controller
from wirespeed.trial.flow_session import DRAIN_S

if TYPE_CHECKING:
    from wirespeed.trial.flow_session import FlowSession

LEAST_FPS = 1000.0
"""Lowest rate of a search. Fewer flows than this rate sends in one second have no rate."""

UNKNOWN_TIMEOUT_S = 120.0
"""Maximum duration of phase 1 with validation if the DUT's timeout is unknown: Linux' timeout of flows in use."""

_MARGIN_S = 1.0
"""Part of the timeout that is left to commands between the phases."""

_LIMITS: tuple[BoundLimit, ...] = ("tester", "host", "none", "minimum", "dut", "maximum", "line")
"""Limits of several searches by priority: the first that occurs is reported."""

LATENCY_EVERY = 1

_FEW_ENTRIES = "the DUT had only"


Measure = Callable[[float, float], StatefulTrial]
AFoundRow = TypeVar("AFoundRow", bound=FoundRow)
ARow = TypeVar("ARow", bound=Row)


def rate_goal(resolution: float) -> Goal:
    """Goal of §4.5 for MLRsearch: one trial decides, and no flow may be lost. Its duration follows from the rate."""
    return Goal("rate", 0.0, 0.0, 1.0, 1.0, resolution, 1.0)


def least_rate_fps(bench: StatefulBench, flows: int) -> float:
    """The lowest rate at which a trial ends before its first flow times out."""
    method = bench.method
    timeout_s = UNKNOWN_TIMEOUT_S if method.timeout_s is None else method.timeout_s
    left_s = timeout_s - 2 * DRAIN_S - _MARGIN_S
    if method.over_timeout or not bench.filtered:
        left_s = max(left_s, UNKNOWN_TIMEOUT_S)
    return max(LEAST_FPS, flows * (1 + 1 / method.alpha) / left_s) if left_s > 0 else math.inf


def establishment_rate(
    bench: StatefulBench, session: FlowSession, flows: int, most_fps: float, robust: bool
) -> RateRow:
    """The highest rate of new flows that are all validated, by one search per repeat. A row without a figure if there
    is none."""
    least_fps = least_rate_fps(bench, flows)
    if least_fps >= most_fps:
        told = "unknown" if bench.method.timeout_s is None else f"{bench.method.timeout_s:g} s"
        why = f"phase 1 and validation last longer than flows live: the DUT's UDP timeout is {told}; raise it"
        return RateRow(flows, filtered=bench.filtered, left_out=why)
    first, outcomes = len(bench.trials), []
    for repeat in range(1, bench.method.repeats + 1):
        asked = StatefulStep("rate", flows, repeat=repeat)
        outcomes.append(_rate_search(bench, session, asked, least_fps, most_fps, robust))
        if outcomes[-1].lower_pps is None:
            break
    trials = [one for one in bench.trials[first:] if not one.excluded]
    row = _found(RateRow(flows, filtered=bench.filtered), outcomes, trials, bench)
    whole = [one.load_pps for one in trials if one.opened.is_whole and not one.trial.tester_limited]
    row = replace(row, unvalidated=max(whole, default=None))
    if row.limit == "minimum":
        row = replace(row, irregular=f"the lowest rate, {least_fps:,.0f} flows/s, lost flows")
    return too_short(row)


def _rate_search(
    bench: StatefulBench, session: FlowSession, asked: StatefulStep, least_fps: float, most_fps: float, robust: bool
) -> GoalOutcome:
    def measure(load_fps: float, _: float) -> StatefulTrial:
        return bench.rate(session, asked, load_fps)

    return _searched(bench, rate_goal(bench.method.resolution), least_fps, most_fps, measure, robust)


def too_short(row: RateRow) -> RateRow:
    """The row; without a rate if phase 1 is too short for one."""
    rate_fps = row.median
    if rate_fps is None or row.flows >= rate_fps * LEAST_PHASE_S:
        return row
    return replace(
        row,
        needed_flows=_round_up(rate_fps * LEAST_PHASE_S),
        left_out=f"phase 1 lasts less than {LEAST_PHASE_S:g} s",
    )


def left_out_rate(bench: StatefulBench, flows: int, rate_fps: float | None) -> RateRow:
    """The row of so few flows that no rate can be told, without a trial. More flows have `rate_fps`."""
    needed = None if rate_fps is None else _round_up(rate_fps * LEAST_PHASE_S)
    of_more = "" if rate_fps is None else " at the rate of more flows"
    why = f"phase 1 lasts less than {LEAST_PHASE_S:g} s{of_more}"
    return RateRow(flows, filtered=bench.filtered, left_out=why, needed_flows=needed)


def _round_up(flows: float) -> int:
    """The number of flows to recommend, rounded to two digits."""
    step = int(10 ** max(0, math.floor(math.log10(flows)) - 1))
    return math.ceil(flows / step) * step


def throughput(
    bench: StatefulBench, session: FlowSession, flows: int, way: Way, line_pps: float, opening_fps: float, robust: bool
) -> StateThroughputRow:
    """The highest load over the states that loses nothing and remaps no flow. One search per repeat."""
    method = bench.method
    goal = throughput_goal(method.trial_s, method.resolution)
    first, outcomes = len(bench.trials), []
    row = StateThroughputRow(flows, filtered=bench.filtered, way=way, opened_at=opening_fps, line_pps=line_pps)
    for repeat in range(1, method.repeats + 1):
        asked = StatefulStep("throughput", flows, way, repeat)

        def measure(load_pps: float, seconds: float, asked: StatefulStep = asked) -> StatefulTrial:
            return bench.exchange(session, asked, opening_fps, load_pps, seconds)

        outcomes.append(_searched(bench, goal, min(LEAST_FPS, line_pps / 1000), line_pps, measure, robust))
        if outcomes[-1].lower_pps is None:
            break
    return _found(row, outcomes, [one for one in bench.trials[first:] if not one.excluded], bench)


def _searched(
    bench: StatefulBench, goal: Goal, least: float, most: float, measure: Measure, robust: bool
) -> GoalOutcome:
    """One search; its trials are stored. A MeasurementError becomes the reason in its outcome."""

    def take(load: float, seconds: float, purpose: Purpose) -> SearchTrial:
        one = measure(load, seconds)
        judged = controller.judged(one.judged)
        bench.keep(replace(one, excluded=judged.excluded))
        controller.keep(judged)
        return judged

    controller = Controller((goal,), least, most, take, repeats=DISTURBED_REPEATS if robust else 0)
    ended_early = ""
    try:
        controller.run()
    except MeasurementError as error:
        ended_early = str(error)
    (outcome,) = controller.outcomes(most_is_line=True, ended_early=ended_early)
    return replace(outcome, irregular=ended_early or outcome.irregular)


def _found(
    row: AFoundRow, outcomes: Sequence[GoalOutcome], trials: Sequence[StatefulTrial], bench: StatefulBench
) -> AFoundRow:
    """The row with what its searches found."""
    known = [one for one in outcomes if one.lower_pps is not None]
    limits = {one.limit for one in outcomes}
    at = {one.lower_pps for one in known}
    held = [one for one in trials if one.load_pps in at and not one.judged.loss_ratio]
    doubts = list(dict.fromkeys(one.irregular for one in outcomes if one.irregular))
    return replace(
        row,
        found=tuple(one.lower_pps for one in known if one.lower_pps is not None),
        failed=tuple(one.upper_pps for one in known if one.upper_pps is not None),
        limit=next((one for one in _LIMITS if one in limits), "none"),
        states=_states(held),
        trials=len(trials),
        irregular="; ".join((*doubts[:1], *_doubts(held, bench))),
    )


def _states(trials: Sequence[StatefulTrial]) -> int | None:
    """The lowest number of table entries after any of the trials."""
    return min((one.states.used for one in trials if one.states is not None), default=None)


def _doubts(trials: Sequence[StatefulTrial], bench: StatefulBench) -> list[str]:
    """The reasons why the figure of these trials is not the DUT's alone, each once."""
    if not bench.filtered or not trials:
        return []
    doubts = []
    plain = next((one for one in trials if _is_untranslated(one, bench)), None)
    if plain is not None:
        doubts.append(f"{plain.opened.untranslated:,} of {plain.flows:,} flows were not translated")
    if bench.states is None:
        return [*doubts, NOT_PROVED]
    few = [
        one for one in trials if one.states is not None and one.states.used < one.flows * one.states.entries_per_flow
    ]
    if few:
        doubts.append(_few_text(min(one.states.used for one in few if one.states is not None), few[0].flows))
    timeout_s = bench.method.timeout_s
    long = [one for one in trials if timeout_s is not None and one.lasted_s >= timeout_s]
    if long:
        doubts.append(f"the trial lasts {long[0].lasted_s:.3g} s, longer than the DUT's timeout of {timeout_s:g} s")
    bypasses = {why for one in trials if one.states is not None for why in one.states.bypasses}
    doubts += [f"{why} forwards flows without the state table" for why in sorted(bypasses)]
    return doubts


def _is_untranslated(trial: StatefulTrial, bench: StatefulBench) -> bool:
    """True if NAT left out some flows. Unless the DUT is known to translate, all of them may be meant to be left."""
    return 0 < trial.opened.untranslated < trial.opened.established + bench.translates


def _few_text(entries: int, flows: int) -> str:
    return f"{_FEW_ENTRIES} {entries:,} entries for {flows:,} flows"


def without_filter(row: ARow) -> ARow:
    """The row of a DUT whose filter was off, without remarks on states."""
    told = (why for why in row.irregular.split("; ") if not why.startswith((_FEW_ENTRIES, NOT_PROVED)))
    return replace(row, filtered=False, states=None, irregular="; ".join(told))


def frame_loss_rate(
    bench: StatefulBench, session: FlowSession, flows: int, way: Way, line_pps: float, opening_fps: float
) -> StateLossRow:
    """Loads from line rate down until two consecutive trials lost nothing."""
    trials: list[StatefulTrial] = []

    def measure(percent: float) -> LossPoint:
        asked = StatefulStep("frame-loss", flows, way, label=f"{percent:g} %")
        one = bench.exchange(session, asked, opening_fps, percent / 100 * line_pps, bench.method.trial_s)
        bench.keep(one)
        trials.append(one)
        return loss_point(percent, line_pps, one)

    row = StateLossRow(flows, way, opening_fps, filtered=bench.filtered)
    try:
        points, twice = frame_loss(measure, bench.method.loss_step_percent)
    except MeasurementError as error:
        return replace(row, left_out=str(error))
    twice_text = "" if twice else "no two consecutive trials lost nothing"
    return replace(
        row,
        points=points,
        lossless_twice=twice,
        states=_states(trials),
        irregular=said(remarks(trials), twice_text, *_doubts(trials, bench)),
    )


def latency(
    bench: StatefulBench, session: FlowSession, flows: int, way: Way, measured: StateThroughputRow
) -> tuple[StateLatencyRow, ...]:
    """One row per direction, from repeats at the throughput; one without a figure if there is no throughput."""
    method, load_pps = bench.method, measured.median
    opening_fps = measured.opened_at
    if load_pps is None or opening_fps is None:
        return (StateLatencyRow(flows, "", way, filtered=bench.filtered, left_out="no throughput was found"),)
    trials = []
    why = "its load is the tester's limit, not the DUT's" if measured.is_at_least else ""
    for repeat in range(1, method.latency_repeats + 1):
        asked = StatefulStep("latency", flows, way, repeat, f"repeat {repeat}")
        try:
            trial = bench.exchange(session, asked, opening_fps, load_pps, method.trial_s, LATENCY_EVERY)
        except MeasurementError as error:
            why = str(error)
            break
        bench.keep(trial)
        trials.append(trial)
    wires = [
        wire for wire in (bench.forward, bench.forward.reverse) if any(wire in one.trial.channels for one in trials)
    ]
    rows = []
    for wire in wires:
        latencies = [latency for one in trials if (latency := one.trial.channels[wire].latency) is not None]
        rows.append(
            StateLatencyRow(
                flows,
                str(wire),
                way,
                load_pps,
                medians_us=tuple(one.percentiles["50"] for one in latencies),
                worsts_us=tuple(one.percentiles["99.9"] for one in latencies),
                variations_us=tuple(one.percentiles["99.9"] - one.min_us for one in latencies),
                ipdv=tuple(one.delay_variations[wire] for one in trials if wire in one.delay_variations),
                frames=sum(one.packets for one in latencies),
                filtered=bench.filtered,
                states=_states(trials),
                irregular=said(why, remarks(trials), *_doubts(trials, bench)),
            )
        )
    return tuple(rows)


def tear_down(bench: StatefulBench, session: FlowSession, flows: int, opening_fps: float) -> TearDownRow:
    """Phase 1 fills the table, then a command flushes it; once per repeat."""
    row = TearDownRow(flows, opened_at=opening_fps)
    if bench.states is None:
        return replace(row, left_out=NOT_PROVED)
    flushes, wanted = [], flows
    for repeat in range(1, bench.method.repeats + 1):
        try:
            opening = bench.opening(session, StatefulStep("tear-down", flows, repeat=repeat), opening_fps)
            flushes.append(bench.states.tear_down(bench.empty))
        except MeasurementError as error:
            return replace(row, left_out=str(error))
        if opening.before is not None:
            wanted = flows * opening.before.entries_per_flow
    row = replace(row, flushes=tuple(flushes), states=min(one.states for one in flushes))
    short = len(flushes) - len(row.rates)
    if row.rates:
        why = f"{short} of {len(flushes)} flushes were too short for a rate" if short else ""
        few = _few_text(row.states, flows) if row.states is not None and row.states < wanted else ""
        return replace(row, irregular=said(why, few))
    took_s, idle_s = flushes[-1].took_s, flushes[-1].idle_s
    why = f"the flush takes {took_s * 1e3:.0f} ms, on an empty table {idle_s * 1e3:.0f} ms: give more flows"
    return replace(row, left_out=why)


def capacity(bench: StatefulBench, first: int, most_fps: float, robust: bool) -> CapacityRow:
    """The number of flows that the table holds. One search per repeat."""
    row = CapacityRow(first)
    for repeat in range(1, bench.method.repeats + 1):
        row = _capacity_search(bench, row, repeat, most_fps, robust)
        if len(row.full) < repeat:
            break
    return row


def _capacity_search(bench: StatefulBench, row: CapacityRow, repeat: int, most_fps: float, robust: bool) -> CapacityRow:
    """The number of flows doubles until the validated rate collapses; then the interval is halved. The bound of a step
    is the lowest rate of its search: a validated rate below it counts as collapsed. A device that fails when its table
    is full (§4.9) leaves a row."""
    method, steps, first = bench.method, list(row.steps), row.flows
    began = len(bench.trials)

    def rate(flows: int, bound: float) -> float | None:
        least_fps = least_rate_fps(bench, flows)
        if max(least_fps, bound) >= most_fps:
            raise MeasurementError(f"phase 1 and validation of {flows:,} flows last longer than flows live")
        asked = StatefulStep("capacity", flows, repeat=repeat)
        with bench.flows(flows) as session:
            outcome = _rate_search(bench, session, asked, max(least_fps, bound), most_fps, robust)
        if outcome.lower_pps is None and (outcome.limit != "minimum" or least_fps > bound > 0):
            raise MeasurementError(f"whether {flows:,} flows hold is not known: {outcome.irregular or 'they time out'}")
        steps.append(CapacityStep(flows, outcome.lower_pps, bound, repeat))
        return outcome.lower_pps

    good, full_at, why = 0, None, ""
    failed: WirespeedError | None = None
    try:
        if (rate_fps := rate(first, 0.0)) is None:
            raise MeasurementError(f"{first:,} flows have no rate: give fewer --flows")
        good = first
        while full_at is None:
            if (at_fps := rate(2 * good, method.beta * rate_fps)) is None:
                full_at = 2 * good
            else:
                good, rate_fps = 2 * good, at_fps
        while full_at - good > max(1.0, method.capacity_error * good):
            middle = (good + full_at) // 2
            if (at_fps := rate(middle, method.gamma * rate_fps)) is None:
                full_at = middle
            else:
                good, rate_fps = middle, at_fps
    except (MeasurementError, UsageError) as error:
        why = str(error)
    except WirespeedError as error:
        why, failed = str(error), error
    held = [one for one in bench.trials[began:] if one.flows == good and not one.judged.loss_ratio]
    known = [number for number in (row.states, _states(held)) if number is not None]
    is_known = bool(good or row.found)
    row = replace(
        row,
        found=(*row.found, *([good] if good else [])),
        full=(*row.full, *([full_at] if good and full_at is not None else [])),
        steps=tuple(steps),
        states=min(known, default=None),
        left_out="" if is_known else why,
        irregular=said(*dict.fromkeys((row.irregular, why if is_known else "", *_doubts(held, bench)))),
    )
    if failed is not None:
        bench.found("capacity", row)
        raise failed
    return row
