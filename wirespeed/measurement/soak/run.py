"""Runs a soak against a generator: one load, one reading per second. It survives a restart of generator or DUT."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime

from wirespeed.dut.dut import TellsLater, TellsMemory
from wirespeed.errors import (
    ConnectionFault,
    EnvironmentFault,
    MeasurementError,
    RemoteError,
    WirespeedError,
)
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.course import Balances, Course, ObservedSecond, Settled, dut_span, known_until
from wirespeed.measurement.soak.head import load_for, soak_head
from wirespeed.measurement.soak.journal import SoakJournal
from wirespeed.measurement.soak.marks import counters_of, reading_of, went_on
from wirespeed.measurement.soak.plan import SoakPlan, check_plan
from wirespeed.measurement.soak.result import Blind, DutSpan, Gap, LossEvent, ResumeMark, SoakResult, SoakVerdict, Span
from wirespeed.results.channel import Channel
from wirespeed.results.ending import Ending, ending_of
from wirespeed.trial.load import TrialLoad
from wirespeed.trial.reading import TrialReading
from wirespeed.trial.silence import silent
from wirespeed.trial.trial import Trial

PERIOD_S = 1.0

_SILENT_AFTER_S = 3.0
_ASK_AGAIN_S = 1.0
_LEAST_PART = 0.2
"""A second that is cut short counts from this much of it on."""


@dataclass(frozen=True)
class SoakProgress:
    """Progress for a watcher: each second once it is final, and each gap."""

    result: SoakResult
    chronicle: Chronicle
    span: Span | None
    events: tuple[LossEvent, ...]
    gap: Gap | None
    left_s: float

    def verdict(self) -> SoakVerdict:
        """The verdict on everything so far."""
        told = self.result.verdict
        return self.chronicle.verdict(told.target_ratio, told.confidence)


def run_soak(
    plan: SoakPlan,
    execution: Execution,
    load: TrialLoad | None = None,
    earlier: SoakResult | None = None,
) -> SoakResult:
    """Run `plan` and return the result; `earlier` is the soak that it continues.

    Raises when the soak cannot start: UsageError (plan, profile, load above the line), EnvironmentFault (too few ports,
    no link), RemoteError (port taken). Once traffic was seen it always returns a SoakResult, whose `ending.status` is
    complete, interrupted (by `stop` or Ctrl-C) or failed; `raise_for_ending` raises that. Whatever happens,
    traffic is stopped and the ports are released.
    """
    check_plan(plan)
    load = load_for(plan) if load is None else load
    if earlier is not None and earlier.mark is not None:
        execution.client.session_id = earlier.mark.session_id  # whoever has it owns the ports, as the one before us did
    soak = _Soak(plan, execution, load, earlier)
    with ending_of(lambda: not soak.is_empty) as course:
        if soak.run():
            course.interrupt()
    return soak.result(course.ending)


@dataclass
class _Soak:
    """A soak under way, over all its stretches of traffic."""

    plan: SoakPlan
    execution: Execution
    load: TrialLoad
    earlier: SoakResult | None
    head: SoakResult | None = None
    chronicle: Chronicle | None = None
    mark: ResumeMark | None = None
    blind: Blind = "controller"
    why: str = "the soak's own program had ended"
    away_since_s: float | None = None
    has_seen: bool = False
    earlier_s: float = 0.0

    def __post_init__(self) -> None:
        self.recorder: SoakJournal | None = self.execution.recorder
        if self.earlier is not None:
            self.head = replace(self.earlier, intended_s=self.plan.duration_s)
            self.chronicle = Chronicle(self.earlier)
            self.earlier_s = self.chronicle.now_s
            self.mark = self.earlier.mark
            if self.recorder is not None:
                self.recorder.compact(self.head)

    @property
    def is_empty(self) -> bool:
        return self.chronicle is None or self.chronicle.total is None

    @property
    def left_s(self) -> float:
        return self.plan.duration_s - (self.chronicle.watched_s if self.chronicle is not None else 0.0)

    def run(self) -> bool:
        """Until the load was watched for as long as the plan says; True when `stop` cut it short."""
        while True:
            try:
                return self._stretch()
            except (ConnectionFault, RemoteError, EnvironmentFault) as fault:
                # A restarted generator may need a while for its links; it knows neither us nor our handlers.
                if not self.has_seen or self.execution.stop.is_set():
                    raise
                if self.away_since_s is None:
                    self.away_since_s = time.monotonic()
                    self.blind, self.why = "generator", str(fault)
                self._await_generator(fault)

    def _await_generator(self, fault: WirespeedError) -> None:
        """Until it answers again. `fault`, when the plan's patience is at its end."""
        assert self.away_since_s is not None
        while time.monotonic() < self.away_since_s + self.plan.patience_s:
            self.execution.wait(_ASK_AGAIN_S)
            try:
                self.execution.client.connect()
            except WirespeedError:
                continue
            return
        raise fault

    def _stretch(self) -> bool:
        """Traffic from its beginning, or from where it was left, until it ends."""
        plan = self.plan
        trial = self.execution.trial(
            plan,
            self.load,
            force=plan.force and self.away_since_s is None,  # who took the ports meanwhile keeps them
            ignore_link_down=True,
            go_on=self.mark is not None,
        )
        trial.check_rate("--load", plan.load)
        with trial:
            assert trial.origin is not None
            if self.head is None:
                self.head = soak_head(plan, trial, self.execution.dut)
                self.chronicle = Chronicle(self.head)
                self.execution.begin(self.head)
            course = self._course(trial, trial.origin)
            before = trial.origin
            if trial.adopted:
                trial.set_rate(plan.load)  # it is what it was, if nobody else changed it
            else:
                before = trial.snapshot()
                trial.set_rate(plan.load)
            return self._hold(trial, course, before)

    def _course(self, trial: Trial, origin: TrialReading) -> Course:
        """Goes on with the counters of the mark where the traffic did; else the gap is what they say."""
        assert self.chronicle is not None
        mark, wires = self.mark, self.plan.directions
        now_s = self._now_s()
        known = trial.ours_already and mark is not None and went_on(mark.latest, origin)
        gap_s = max(0.0, now_s - self.chronicle.now_s)
        gap = Gap(self.chronicle.now_s, gap_s, self.blind, self.why)
        if mark is not None and trial.adopted and known:
            course = Course(self.chronicle, mark, self._emit)
            course.begin_from(known_until(mark, trial.balance))
            course.see(ObservedSecond(now_s, _balances(trial, reading_of(mark.origin), origin, wires), origin, gap=gap))
            return course
        if not self.is_empty:
            if mark is None:
                gap = replace(gap, why="the soak had ended, and was taken up again", offered=0, lost=0)
            elif known:
                until = known_until(mark, trial.balance)
                ends = _balances(trial, reading_of(mark.origin), origin, wires)
                offered = sum(one.offered - until[wire].offered for wire, one in ends.items() if wire in until)
                lost = sum(one.lost - mark.placed[wire] for wire, one in ends.items() if wire in mark.placed)
                gap = replace(gap, offered=round(offered), lost=max(0, round(lost)))
            self._keep_gap(gap)
        counters = counters_of(origin)
        self.mark = ResumeMark(self.execution.client.session_id, now_s, counters, counters)
        if self.recorder is not None:
            self.recorder.add_mark(self.mark)
        return Course(self.chronicle, self.mark, self._emit)

    def _hold(self, trial: Trial, course: Course, before: TrialReading) -> bool:
        """The load, a reading a second."""
        origin, wires = reading_of(course.mark.origin), self.plan.directions
        base_s, base_at_s = self._now_s(), before.at_s
        due_s = time.monotonic()
        watched_s, unseen_s, cut_short = 0.0, self.left_s, False
        drained: Balances | None = None
        try:
            while not cut_short and unseen_s - watched_s > _LEAST_PART * PERIOD_S:
                due_s = max(due_s + PERIOD_S, time.monotonic() + _LEAST_PART * PERIOD_S)
                cut_short = trial.wait(due_s - time.monotonic())
                if cut_short and time.monotonic() - (due_s - PERIOD_S) < _LEAST_PART * PERIOD_S:
                    break
                now = trial.snapshot()
                balances = _balances(trial, origin, now, wires)
                course.see(self._seen(trial, before, now, base_s - base_at_s, balances))
                seen_s, watched_s = watched_s, watched_s + now.at_s - before.at_s
                before = now
                if seen_s < _SILENT_AFTER_S <= watched_s and self.earlier is None:
                    reason = silent(balances, watched_s)
                    if reason is not None:
                        raise MeasurementError(reason)
            end, _ = trial.drain(origin)
            drained = _balances(trial, origin, end, wires)
            return cut_short
        finally:
            unplaced, offered = course.finish(drained)
            if drained is not None:
                self.mark = None
                if self.recorder is not None:
                    self.recorder.add_unplaced(unplaced, offered)

    def _seen(
        self, trial: Trial, before: TrialReading, now: TrialReading, offset_s: float, balances: Balances
    ) -> ObservedSecond:
        dut = self.execution.dut
        memory = dut.memory_bytes() if isinstance(dut, TellsMemory) else None
        return ObservedSecond(
            at_s=before.at_s + offset_s,
            balances=balances,
            reading=now,
            sample=trial.sample(before, now, "hold", self.plan.load),
            telemetry=trial.dut.telemetry(before.dut, now.dut),
            memory_bytes=memory,
        )

    def _emit(self, settled: Settled) -> None:
        assert self.head is not None and self.chronicle is not None
        self.mark, self.away_since_s, self.has_seen = settled.mark, None, True
        if self.recorder is not None:
            if settled.gap is not None:
                self.recorder.add_gap(settled.gap)
            if settled.span is not None:
                self.recorder.add_second(settled.span, settled.mark, settled.events)
            if self.recorder.is_long:
                self.recorder.compact(replace(self.chronicle.told(self.head), mark=self.mark))
        self._tell(settled.span, settled.events, settled.gap)

    def _keep_gap(self, gap: Gap) -> None:
        assert self.head is not None and self.chronicle is not None
        self.chronicle.add_gap(gap)
        if self.recorder is not None:
            self.recorder.add_gap(gap)
        self._tell(None, (), gap)

    def _tell(self, span: Span | None, events: tuple[LossEvent, ...], gap: Gap | None) -> None:
        assert self.head is not None and self.chronicle is not None
        self.execution.tell(SoakProgress(self.head, self.chronicle, span, events, gap, self.left_s))

    def _now_s(self) -> float:
        """Seconds since the soak began; never before the last observed second."""
        assert self.head is not None and self.chronicle is not None
        began = datetime.fromisoformat(self.head.ending.started).timestamp()
        return max(self.chronicle.now_s, time.time() - began) if not self.is_empty else 0.0

    def result(self, ending: Ending) -> SoakResult:
        assert self.head is not None and self.chronicle is not None
        self._tell_later()
        fault = self.recorder.journal.fault if self.recorder is not None else ""
        notes = (*self.head.ending.notes, *filter(None, [fault]))
        return self.execution.result(self.chronicle.told(self.head), ending, notes, mark=self.mark)

    def _tell_later(self) -> None:
        """Telemetry that a device reports only after the load, for the time that this program watched."""
        assert self.head is not None and self.chronicle is not None
        dut = self.execution.dut
        if not isinstance(dut, TellsLater):
            return
        dut.fetch()
        began_s = time.monotonic() - (time.time() - datetime.fromisoformat(self.head.ending.started).timestamp())

        def told(since_s: float, until_s: float) -> DutSpan | None:
            found = dut.told_between(began_s + since_s, began_s + until_s)
            return None if found is None else dut_span(found)

        self.chronicle.tell_later(told, self.earlier_s)


def _balances(trial: Trial, origin: TrialReading, now: TrialReading, wires: tuple[Channel, ...]) -> Balances:
    return {wire: trial.balance(origin, now, wire) for wire in wires}
