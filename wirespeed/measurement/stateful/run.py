"""Runs the tests of a plan against a generator, one number of flows after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from wirespeed.client.flow_sets import WINDOW_BYTES
from wirespeed.dut.dut import states_of
from wirespeed.errors import MeasurementError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.head import head_of
from wirespeed.measurement.stateful.bench import MOST_LEFT, StatefulBench, flow_set_of
from wirespeed.measurement.stateful.benchmarks import (
    LEAST_FPS,
    capacity,
    establishment_rate,
    frame_loss_rate,
    latency,
    left_out_rate,
    rate_goal,
    tear_down,
    throughput,
    without_filter,
)
from wirespeed.measurement.stateful.plan import TRANSLATING, StatefulPlan, check_plan
from wirespeed.measurement.stateful.result import (
    LEAST_PHASE_S,
    NOT_PROVED,
    TESTS,
    CapacityRow,
    RateRow,
    Row,
    StatefulMethod,
    StatefulResult,
    StateLatencyRow,
    StateLossRow,
    StateThroughputRow,
    TearDownRow,
    Test,
    Way,
)
from wirespeed.pages.words import count
from wirespeed.results.ending import COMPLETE, ending_of, raise_for
from wirespeed.trial.controller import check_resolution
from wirespeed.trial.flow_session import DRAIN_S
from wirespeed.trial.load import PortLoad, TrialLoad
from wirespeed.trial.mix import Mix
from wirespeed.trial.trial import Trial
from wirespeed.units import line_rate_pps

if TYPE_CHECKING:
    from wirespeed.dut.states import DutStates
    from wirespeed.results.states import StateTable
    from wirespeed.trial.flow_session import FlowSession

_WINDOW_SHARE = 0.9
"""Share of a TCP window that the mean data per flow may fill. Flows are drawn at random, so some carry more."""


def run_stateful(
    plan: StatefulPlan,
    execution: Execution,
    empty: Callable[[], None] | None = None,
    beside: StatefulResult | None = None,
) -> StatefulResult:
    """Run `plan` and return what was found. `empty` empties the DUT's state table,
    in place of the DUT's own way; `beside` has the rows of the DUT with its filter off.

    Raises when nothing can be measured: UsageError (plan, line, more flows than the DUT holds, trials longer than its
    timeout), EnvironmentFault (too few ports, no link), RemoteError (port taken). Once traffic ran it always returns a
    result, whose `ending.status` is complete, interrupted (by `stop` or Ctrl-C) or failed; `raise_for_ending`
    raises that. Whatever happens, traffic is stopped and the ports are released.
    """
    plan = plan.at_lab()
    check_plan(plan)
    states = states_of(execution.dut)
    table = states.read() if states is not None else None
    timeout_s = plan.timeout_s or (table.timeout_s(plan.transport) if table is not None else None)
    refused = _refused(plan, states, table)
    _check_timeout(plan, timeout_s)
    method = plan.method(timeout_s)
    if beside is not None:
        _check_beside(method, beside)
    trial = execution.trial(plan, _no_load(plan))
    line_pps = _line_pps(plan.size, trial)
    opening_fps = min(_line_pps(method.opening_bytes, trial), line_pps / plan.alpha)
    check_resolution([rate_goal(plan.resolution)], min(line_pps, opening_fps))
    bench = StatefulBench(
        trial,
        method,
        plan.ranges,
        plan.forward,
        states,
        empty,
        plan.lab.ring_slots or 0,
        plan.behind,
        translates=plan.lab.filter in TRANSLATING,
        execution=execution,
    )
    head = StatefulResult(
        **head_of(plan, trial.tester, trial.facts, execution.dut),
        method=method,
        filter=plan.lab.filter,
        table=table,
        frame_bytes=dict.fromkeys(plan.senders, float(plan.size)),
    )
    with ending_of(lambda: bool(bench.trials)) as course, trial:
        execution.begin(head)
        for bench.addresses in plan.addresses:
            _Suite(plan, bench, line_pps, opening_fps, refused, beside).run()
    parts = {**bench.rows_by_test(), "trials": tuple(bench.trials), "spent_s": execution.spent_s}
    return execution.result(head, course.ending, (*trial.notes, *_notes(plan, bench, beside)), **parts)


def raise_for_ending(result: StatefulResult) -> None:
    """Raise the error that ended a failed test; MeasurementError if no number of flows has a figure."""
    raise_for(result.ending)
    rows = [row for test in TESTS for row in result.rows(test)]
    reasons = [row.remark for row in rows if _is_empty(row)]
    if result.ending.status == COMPLETE and rows and len(reasons) == len(rows):
        raise MeasurementError(f"no figure was found: {reasons[-1]}")


def _is_empty(row: Row) -> bool:
    match row:
        case StateLossRow():
            return not row.points
        case StateLatencyRow():
            return not row.medians_us
        case TearDownRow():
            return not row.rates
        case CapacityRow():
            return row.capacity is None
        case _:
            return not row.found


def _refused(plan: StatefulPlan, states: DutStates | None, table: StateTable | None) -> dict[int, str]:
    """The numbers of flows that the table cannot hold, each with the reason. UsageError if it holds none of them.
    Each trial empties the table, so that more than the entries which stay in an empty one are gone by then."""
    if states is None or table is None or plan.force or plan.tests == ("capacity",):
        return {}
    if table.used > MOST_LEFT:
        table = replace(table, used=0)
    whys = ((flows, states.why_not(flows, table)) for flows in plan.flows)
    reasons = {flows: f"{why}; --force sends them all the same" for flows, why in whys if why is not None}
    if len(reasons) == len(plan.flows):
        raise UsageError(reasons[plan.flows[0]])
    return reasons


def _check_beside(method: StatefulMethod, beside: StatefulResult) -> None:
    """UsageError for rows without filter that are of other frames."""
    for name, mine in (("protocol", method.protocol), ("frame", method.frame)):
        if (other := getattr(beside.method, name)) != mine:
            raise UsageError(
                f"--beside {beside.name}: its {name} is {other}, that of this test {mine}; give a result of the same "
                "frames, or --beside none"
            )


def _check_timeout(plan: StatefulPlan, timeout_s: float | None) -> None:
    """UsageError for trials during which states time out, unless the plan allows that."""
    if timeout_s is None or plan.over_timeout or not set(plan.tests) - {"rate", "tear-down", "capacity"}:
        return
    if plan.trial_s + 2 * DRAIN_S >= timeout_s:
        raise UsageError(
            f"--trial {plan.trial_s:g}: flows of the DUT live for {timeout_s:g} s without a frame, and a trial over "
            f"their states has to end before; raise the DUT's {plan.transport.upper()} timeout, give a shorter "
            "--trial, or send all the same with --timeout none"
        )


def _no_load(plan: StatefulPlan) -> TrialLoad:
    """A trial without streams: a flow session sends the flows."""
    return TrialLoad(dict.fromkeys(plan.senders, PortLoad((), Mix(plan.size, fixed_size=True))))


def _line_pps(size_bytes: int, trial: Trial) -> float:
    lines = []
    for port, facts in trial.facts.items():
        if facts.speed_bps is None:
            raise UsageError(
                f"port {port} has no line speed, which limits rates and loads; give the generator's port an option "
                "such as speed=10G, or give --line 10G"
            )
        lines.append(line_rate_pps(size_bytes, facts.speed_bps))
    return min(lines)


def _notes(plan: StatefulPlan, bench: StatefulBench, beside: StatefulResult | None) -> Iterator[str]:
    yield from plan.notes
    aside = [trial.excluded for trial in bench.trials if trial.excluded]
    if aside:
        yield f"{count(len(aside), 'trial')} set aside and repeated: {aside[0]}"
    if bench.states is None:
        yield NOT_PROVED
    if beside is not None:
        yield f"rows without filter are those of {beside.name}"


@dataclass
class _Suite:
    """A plan on a bench, for one number of addresses. The line carries phase 1 of `opening_fps` flows per second, and
    its validation.
    `opening` has the rate of phase 1 before a phase 2, by the number of flows."""

    plan: StatefulPlan
    bench: StatefulBench
    line_pps: float
    opening_fps: float
    refused: dict[int, str]
    beside: StatefulResult | None
    opening: dict[int, float] = field(default_factory=dict)

    def run(self) -> None:
        """Rates first, from the highest number of flows down, since few flows may have no rate. Then the other tests,
        in rising order of flows."""
        if self.plan.tests == ("capacity",):
            row = capacity(self.bench, min(self.plan.flows), self.opening_fps, self.plan.is_robust)
            self.bench.found("capacity", row)
            return
        for flows in reversed(self.plan.flows):
            self._rate(flows)
        tests = [test for test in self.plan.tests if test != "rate"]
        for flows in self.plan.flows if tests else ():
            if flows in self.refused or flows not in self.opening:
                why = self.refused.get(flows, "no rate of new flows was found, at which phase 1 could be")
                for way in self.plan.ways:
                    self._leave_out(flows, way, tests, why)
                if "tear-down" in tests:
                    self.bench.found("tear-down", TearDownRow(flows, left_out=why))
                continue
            if tests != ["tear-down"]:
                for way in self.plan.ways:
                    self._over_states(flows, way, tests)
            if "tear-down" in tests:
                with self.bench.flows(flows) as session:
                    self.bench.found("tear-down", tear_down(self.bench, session, flows, self.opening[flows]))

    def _each(self) -> Iterator[bool]:
        """A test with the filter and, if possible, without it."""
        yield True
        states = self.bench.states
        if self.beside is None and self.plan.without_filter and states is not None and states.can_do_without_filter:
            with self.bench.without_filter():
                yield False

    def _found(self, test: Test, rows: Sequence[Row]) -> None:
        for row in rows:
            self.bench.found(test, row)

    def _beside(self, test: Test, flows: int, way: str = "both") -> None:
        """The rows of the other result for the same flows."""
        if self.beside is None:
            return
        for row in self.beside.rows(test):
            same = (row.flows, row.addresses) == (flows, self.bench.addresses)
            if same and getattr(row, "way", way) == way and row.filtered:
                self.bench.found(test, without_filter(row))

    # ---- the rate

    def _rate(self, flows: int) -> None:
        if flows in self.refused:
            self.bench.found("rate", RateRow(flows, left_out=self.refused[flows]))
            return
        more = self.opening[min(self.opening)] / self.plan.opening if self.opening else None
        if flows < LEAST_FPS or (more is not None and flows < more * LEAST_PHASE_S):
            self.opening[flows] = self.plan.opening * (more or LEAST_FPS)
            self.bench.found("rate", left_out_rate(self.bench, flows, more))
            return
        for _ in self._each():
            with self.bench.flows(flows) as session:
                row = establishment_rate(self.bench, session, flows, self.opening_fps, self.plan.is_robust)
            if self.bench.filtered and row.median is not None:
                self.opening[flows] = self.plan.opening * row.median
            self.bench.found("rate", replace(row, found=(), failed=()) if row.needed_flows else row)
        self._beside("rate", flows)

    # ---- over the states

    def _leave_out(self, flows: int, way: Way, tests: Sequence[Test], why: str) -> None:
        """For the tests over states."""
        for test in tests:
            match test:
                case "throughput":
                    self.bench.found(test, StateThroughputRow(flows, left_out=why, way=way))
                case "frame-loss":
                    self.bench.found(test, StateLossRow(flows, way, left_out=why))
                case "latency":
                    self.bench.found(test, StateLatencyRow(flows, "", way, left_out=why))

    def _over_states(self, flows: int, way: Way, tests: Sequence[Test]) -> None:
        bench, plan, opening_fps = self.bench, self.plan, self.opening[flows]
        lasts_s = bench.exchange_lasts_s(flows, opening_fps, plan.trial_s)
        timeout_s = bench.method.timeout_s
        if timeout_s is not None and lasts_s >= timeout_s and not plan.over_timeout:
            why = (
                f"phase 1 at {opening_fps:,.0f} flows/s and the trial last {lasts_s:.3g} s, longer than the DUT's "
                f"{plan.transport.upper()} timeout of {timeout_s:g} s; raise it"
            )
            self._leave_out(flows, way, tests, why)
            return
        if (why_not := self._beyond_window(flows, way)) is not None:
            self._leave_out(flows, way, tests, why_not)
            return
        for _ in self._each():
            with bench.flows(flows) as session:
                self._with_session(session, flows, way, tests)
        for test in tests:
            self._beside(test, flows, way)

    def _beyond_window(self, flows: int, way: Way) -> str | None:
        """The reason why one-sided, thus unacknowledged, data cannot fill the line."""
        if self.plan.transport == "udp" or way == "both":
            return None
        data_bytes = flow_set_of(self.plan.ranges(flows, self.bench.addresses), "tcp").data_bytes(self.plan.size)
        needed = self.line_pps * self.plan.trial_s * data_bytes / (_WINDOW_SHARE * WINDOW_BYTES)
        if flows >= needed:
            return None
        return (
            f"one side's data at line rate exceed the window of {flows:,} connections, since nothing comes back that "
            f"acknowledges it: give --flows {math.ceil(needed)} or more, a shorter --trial, or --ways both"
        )

    def _with_session(self, session: FlowSession, flows: int, way: Way, tests: Sequence[Test]) -> None:
        bench, plan, opening_fps, row = self.bench, self.plan, self.opening[flows], None
        if "throughput" in tests:
            row = throughput(bench, session, flows, way, self.line_pps, opening_fps, plan.is_robust)
            bench.found("throughput", row)
        if "frame-loss" in tests:
            bench.found("frame-loss", frame_loss_rate(bench, session, flows, way, self.line_pps, opening_fps))
        if "latency" in tests and row is not None:
            self._found("latency", latency(bench, session, flows, way, row))
