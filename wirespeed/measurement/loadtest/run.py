"""Runs a load test against a generator: a schedule of loads walked over a trial, with a sample at each step's end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from wirespeed.dut.dut import Dut, TellsLater
from wirespeed.errors import MeasurementError, WirespeedError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.head import head_of
from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.judgement import verdict
from wirespeed.measurement.loadtest.outcome import remarks, skew_remark
from wirespeed.measurement.loadtest.plan import LoadPlan, LoadTestStep, check_plan, steps
from wirespeed.measurement.loadtest.result import Result
from wirespeed.profiles import load_profiles
from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel
from wirespeed.results.codec import from_json
from wirespeed.results.dut import DutFacts
from wirespeed.results.ending import Ending, ending_of
from wirespeed.results.lab import LatencyBaseline
from wirespeed.results.machine import preempted_share
from wirespeed.results.outcome import ChannelOutcome, Outcome
from wirespeed.results.point import Point, points
from wirespeed.results.sample import Sample
from wirespeed.results.skew import allow_for_skew, estimated_skew_s
from wirespeed.results.trial import Drain
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.reading import TrialReading
from wirespeed.trial.silence import silent
from wirespeed.trial.trial import Trial

SILENCE_S = 3.0
"""Time for a DUT to return its first packet, in a test without a warm-up."""

_LEAST_PART = 0.2
"""Minimum duration of the sample of an interrupted step; rates over a shorter time are noise."""


@dataclass(frozen=True)
class LoadTestProgress:
    """Progress for a watcher, after each sample: the points of each direction so far, and their judgement.

    The judgement takes milliseconds, which on two CPUs delay the traffic. So `judged` makes it only for a watcher that
    reads the outcomes."""

    plan: LoadPlan
    step: LoadTestStep
    sample: Sample
    points: Mapping[Channel, Sequence[Point]]
    judged: Callable[[], Mapping[Channel, ChannelOutcome]]

    @cached_property
    def outcomes(self) -> Mapping[Channel, ChannelOutcome]:
        return self.judged()

    @property
    def remaining_s(self) -> float:
        return max(0.0, self.plan.total_s - self.step.end_s)


def load_for(plan: LoadPlan) -> TrialLoad:
    """The streams of each port of the plan. UsageError for streams without room for the signature or the latency
    stamp."""
    streams = load_profiles(plan.profile, plan.tunables, plan.senders)
    return load_of(streams, latency_pps=plan.latency_rate_pps, signature=plan.signature)


def run_loadtest(
    plan: LoadPlan,
    execution: Execution,
    load: TrialLoad | None = None,
) -> Result:
    """Run `plan` and return what was measured; the watcher gets a LoadTestProgress after each sample.

    Raises when the test cannot start: UsageError (plan, profile, rate above the line), EnvironmentFault (too few
    ports, no link), RemoteError (port taken, start refused). Once traffic runs it always returns a Result, whose
    `ending.status` is complete, interrupted (by `stop` or Ctrl-C) or failed, with `reason` and `exit_code`;
    `results.ending.raise_for` raises that. Whatever happens, traffic is stopped and the ports are released.

    The DUT is read at each sample. `load` is the outcome of `load_for`, if known.
    """
    check_plan(plan)
    trial = execution.trial(
        plan,
        load_for(plan) if load is None else load,
        ignore_link_down=plan.ignore_link_down,
        link_hint="with --ignore-link-down the test goes on and marks its samples",
    )
    for what, rate in plan.loads:
        trial.check_rate(what, rate)
    with trial:
        execution.wait(0.0)
        assert trial.origin is not None
        head = _head(plan, trial, execution.dut)
        execution.begin(head)
        course = _Course(plan, execution, trial, head, trial.origin)
        return course.finish(course.drive())


def _head(plan: LoadPlan, trial: Trial, dut: Dut | None) -> Result:
    """The result before its first sample."""
    tester = trial.tester
    floors = {str(wire): from_json(LatencyBaseline, floor) for wire in tester.wires if (floor := tester.floor(wire))}
    head = head_of(plan, tester, trial.facts, dut, trial.notes)
    head["lab"] = replace(head["lab"], latency_baseline=floors)
    return Result(**head, samples=(), outcome=Outcome(plan.threshold))


@dataclass
class _Course:
    """A test under way: the readings that its samples are made of, and what they came to so far."""

    plan: LoadPlan
    execution: Execution
    trial: Trial
    head: Result
    last: TrialReading
    samples: list[Sample] = field(default_factory=list)
    read: list[tuple[TrialReading, TrialReading]] = field(default_factory=list)
    points: dict[Channel, list[Point]] = field(default_factory=dict)
    end: TrialReading | None = None
    drained: Drain | None = None

    def drive(self) -> Ending:
        """Load, sample and drain; the return value is how it ended. Raises only when traffic could not be started."""
        schedule = steps(self.plan)
        self.trial.take_links_down()
        self.trial.set_rate(schedule[0].rate)
        try:
            with ending_of(lambda: True) as course:
                if self._walk(schedule):
                    course.interrupt()
        finally:
            with suppress(WirespeedError):  # what ended the test matters more
                self.end, self.drained = self.trial.drain()
        return course.ending

    def _walk(self, schedule: Sequence[LoadTestStep]) -> bool:
        """Hold one load after the other; True when `stop` cut it short."""
        grace_s = self.plan.warmup_s or min(SILENCE_S, self.plan.total_s)
        began = time.monotonic()
        rate = schedule[0].rate
        heard = False
        for step in schedule:
            if step.rate != rate:
                self.trial.set_rate(step.rate)
                rate = step.rate
            width_s = step.end_s - step.start_s
            behind_s = time.monotonic() - began - step.start_s
            if behind_s > width_s:
                began += behind_s  # a server that stalled: go on from here rather than rush through the rest
            try:
                cut_short = self.trial.wait(began + step.end_s - time.monotonic())
                if cut_short and time.monotonic() - began - step.start_s < _LEAST_PART * width_s:
                    return True
                now = self.trial.snapshot()
            except WirespeedError:
                self._keep_rest(step)
                raise
            self._add(step, now)
            if cut_short or self.trial.stop.is_set():
                return True
            if not heard and step.end_s >= grace_s * 0.999:
                reason = silent(self._balances(now), self.samples[-1].t_s)
                heard = reason is None
                # Workers that were off their CPUs get as long as a test without a warm-up gives.
                waits = step.end_s < SILENCE_S and step is not schedule[-1] and preempted_share(None, self.samples[-1])
                if reason is not None and not waits:
                    raise MeasurementError(reason)
        return False

    def _keep_rest(self, step: LoadTestStep) -> None:
        """An interrupted step: its last good reading ends a sample too, if that is long enough."""
        latest = self.trial.latest
        if latest is not None and latest.at_s - self.last.at_s >= _LEAST_PART * (step.end_s - step.start_s):
            self._add(step, latest)

    def _add(self, step: LoadTestStep, now: TrialReading) -> None:
        sample = self.trial.sample(self.last, now, step.phase, step.rate)
        self.read.append((self.last, now))
        self.last = now
        self.samples.append(sample)
        self.execution.keep(sample)
        for wire in self.plan.directions:
            line_bps = self.head.line_bps(wire.tx)
            newest = points(self.samples[-2:], wire, self.head.medium(wire.tx), line_bps)[-1]
            self.points.setdefault(wire, []).append(newest)
        if self.execution.watch is not None:
            so_far = {wire: list(found) for wire, found in self.points.items()}
            self.execution.tell(LoadTestProgress(self.plan, step, sample, so_far, partial(self._judged, so_far)))

    def _judged(self, so_far: Mapping[Channel, Sequence[Point]]) -> dict[Channel, ChannelOutcome]:
        return {
            wire: verdict(
                self.head,
                allow_for_skew(self.samples, points, wire),
                line_bps=self.head.line_bps(wire.tx),
                complete=False,
            )
            for wire, points in so_far.items()
        }

    def _balances(self, end: TrialReading) -> dict[Channel, Balance]:
        return {wire: self.trial.balance(self.trial.basis.origin, end, wire) for wire in self.plan.directions}

    def finish(self, ending: Ending) -> Result:
        """The whole result; the balances are those after the drain, or up to the last reading that was our own."""
        balances = self._balances(self.end or self.trial.latest or self.last)
        self._tell_later()
        drained = self.drained
        notes = (
            *self.head.ending.notes,
            *remarks(balances, self.plan.threshold, self.plan.signature),
            *skew_remark(self._skew_s(balances)),
        )
        head = self.execution.result(
            replace(self.head, dut=self._with_drops(self.head.dut)),
            ending,
            notes,
            samples=tuple(self.samples),
            outcome=replace(
                self.head.outcome,
                drain_s=None if drained is None else drained.duration_s,
                settled=None if drained is None else drained.settled,
            ),
        )
        return judged(head, balances)

    def _skew_s(self, balances: Mapping[Channel, Balance]) -> float:
        """The most of any direction, in seconds."""
        found = ((wire, points(self.samples, wire, self.head.medium(wire.tx))) for wire in self.plan.directions)
        return max(estimated_skew_s(self.samples, seen, wire, balances.get(wire)) for wire, seen in found)

    def _tell_later(self) -> None:
        """Telemetry that a device reports only after the load, added to the samples that it belongs to."""
        if isinstance(self.trial.dut, TellsLater):
            self.trial.dut.fetch()
            told = (self.trial.dut.telemetry(before.dut, after.dut) for before, after in self.read)
            self.samples = [replace(one, dut=dut.to_json()) for one, dut in zip(self.samples, told, strict=True)]

    def _with_drops(self, facts: DutFacts) -> DutFacts:
        """The facts of the DUT, with its drops over the whole test if it counts them."""
        end = self.end or self.last
        told = self.trial.dut.telemetry(self.trial.basis.origin.dut, end.dut)
        return (
            facts if told.drop_packets is None else replace(facts, dropped_packets=told.drop_packets, drops=told.drops)
        )
