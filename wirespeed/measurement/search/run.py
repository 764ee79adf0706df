"""Runs a search against a generator: MLRsearch, MRR and latency over trials of one load after the other."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from wirespeed.dut.dut import Dut
from wirespeed.errors import MeasurementError, UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.head import head_of
from wirespeed.measurement.search.plan import SearchPlan, check_plan
from wirespeed.measurement.search.result import SearchResult
from wirespeed.profiles import load_profiles
from wirespeed.results.ending import COMPLETE, ending_of, raise_for
from wirespeed.results.search_trial import GoalOutcome, Purpose, SearchTrial
from wirespeed.trial.controller import Controller, Interval, OutOfTime, check_resolution
from wirespeed.trial.load import TrialLoad, load_of
from wirespeed.trial.rates import narrowest_pps
from wirespeed.trial.trial import Trial
from wirespeed.units import Rate

PDR_NAMES = ("pdr", "ndr")
"""Latency is measured at shares of the first of these goals that there is, or of the first goal."""


@dataclass(frozen=True)
class SearchProgress:
    """Progress for a watcher: `trial` just ended, or is None; `next_load_pps` is held now for `next_s`, for `purpose`.
    `spent_s` of `limit_s` seconds have passed."""

    result: SearchResult
    intervals: tuple[Interval, ...]
    trial: SearchTrial | None
    purpose: Purpose
    next_load_pps: float
    next_s: float
    count: int
    spent_s: float
    limit_s: float


def loads_for(plan: SearchPlan) -> tuple[TrialLoad, TrialLoad | None]:
    """Streams of the ports during the search, and during latency trials. UsageError for streams that cannot be used."""
    streams = load_profiles(plan.profile, plan.tunables, plan.senders)
    with_latency = None
    if plan.latency is not None:
        with_latency = load_of(streams, latency_pps=plan.latency.rate_pps, signature=plan.signature)
    return load_of(streams, signature=plan.signature), with_latency


def run_search(
    plan: SearchPlan,
    execution: Execution,
    loads: tuple[TrialLoad, TrialLoad | None] | None = None,
) -> SearchResult:
    """Run `plan` and return what was found.

    Raises when the search cannot start: UsageError (plan, profile, goals, loads above the line), EnvironmentFault (too
    few ports, no link), RemoteError (port taken). Once traffic runs it always returns a SearchResult, whose
    `ending.status` is complete, interrupted (by `stop` or Ctrl-C) or failed; `raise_for_ending` raises that.
    Whatever happens, traffic is stopped and the ports are released.
    """
    check_plan(plan)
    load, with_latency = loads_for(plan) if loads is None else loads
    trial = execution.trial(plan, load)
    for what, rate in (("--min", plan.least), ("--max", plan.most)):
        trial.check_rate(what, rate)
    head = _head(plan, trial, execution.dut)
    check_resolution(plan.goals, head.most_pps * len(plan.directions))
    bench = _Bench(plan, head, execution)
    with ending_of(lambda: bool(bench.trials)) as course:
        with trial:
            execution.begin(replace(head, goals=tuple(map(GoalOutcome, plan.goals))))
            bench.search(trial)
        if with_latency is not None:
            with execution.trial(plan, with_latency, trial.tester) as other:
                bench.latency(other)
    aside = sum(1 for one in bench.trials if one.excluded)
    excluded = f"{aside} trials do not count: preemption explains their loss, and they were repeated"
    return execution.result(
        head,
        course.ending,
        (*plan.notes, *trial.notes, *([excluded] if aside else [])),
        trials=tuple(bench.trials),
        goals=bench.goals,
        spent_s=execution.spent_s,
    )


def raise_for_ending(result: SearchResult) -> None:
    """Raise what ended a failed search, and MeasurementError when no goal was reached at all."""
    ending = result.ending
    raise_for(ending)
    lost = [goal for goal in result.goals if goal.limit == "minimum"]
    if lost and len(lost) == len(result.goals) and ending.status == COMPLETE:
        raise MeasurementError(
            f"no goal is reached: {lost[-1].irregular}; give a lower --min, or a goal that allows this loss"
        )


def _head(plan: SearchPlan, trial: Trial, dut: Dut | None) -> SearchResult:
    """The result before its first trial. UsageError when loads of the directions cannot be the same."""
    frames = {port: one.mix.mean_frame_bytes for port, one in trial.load.ports.items()}
    least, most = (
        narrowest_pps(what, rate, trial.facts, frames) for what, rate in (("--min", plan.least), ("--max", plan.most))
    )
    if least >= most:
        raise UsageError(f"--min {plan.least} is not below --max {plan.most}: give a lower --min or a higher --max")
    return SearchResult(
        **head_of(plan, trial.tester, trial.facts, dut),
        least_pps=least,
        most_pps=most,
        most_is_line=plan.most == Rate(100.0, "percentage"),
        frame_bytes=frames,
    )


@dataclass
class _Bench:
    """A search under way: trials as they come, and what they say."""

    plan: SearchPlan
    head: SearchResult
    execution: Execution
    trials: list[SearchTrial] = field(default_factory=list)
    controller: Controller | None = None
    goals: tuple[GoalOutcome, ...] = ()

    def search(self, trial: Trial) -> None:
        """All that needs no latency streams."""
        plan, head = self.plan, self.head
        if plan.goals:
            self.controller = Controller(
                plan.goals,
                head.least_pps,
                head.most_pps,
                lambda load, seconds, purpose: self._measure(trial, load, seconds, purpose),
                plan.warmup_s,
                plan.limit_s,
                plan.repeats,
            )
            why = "the search was ended before it was done"
            try:
                self.controller.run()
                why = ""
            except OutOfTime:
                why = f"the time of {plan.limit_s:g} s was over"
            finally:
                self.goals = self.controller.outcomes(most_is_line=head.most_is_line, ended_early=why)
        if plan.mrr is not None:
            for _ in range(plan.mrr.count):
                self._measure(trial, head.most_pps, plan.mrr.duration_s, "mrr")

    def latency(self, trial: Trial) -> None:
        """Measure latency at shares of the load found."""
        plan = self.plan.latency
        found = {outcome.goal.name: outcome for outcome in self.goals}
        name = next((name for name in PDR_NAMES if name in found), next(iter(found), None))
        if plan is None or name is None or (base := found[name].lower_pps) is None:
            return
        for share in plan.shares:
            label = f"{share * 100:g} % of {name.upper()}" if share else "no load"
            self._measure(trial, share * base or plan.rate_pps, plan.duration_s, "latency", label)

    def _measure(self, trial: Trial, load_pps: float, seconds: float, purpose: Purpose, label: str = "") -> SearchTrial:
        """One trial, judged and kept."""
        self._tell(None, purpose, load_pps, seconds)
        found = trial.measure(Rate(load_pps, "pps"), seconds)
        kept = SearchTrial(len(self.trials) + 1, purpose, load_pps, seconds, found, label)
        if self.controller is not None and purpose in ("warm-up", "search"):
            kept = self.controller.judged(kept)
            self.controller.keep(kept)
        self.trials.append(kept)
        self.execution.keep(kept)
        self._tell(kept, purpose, load_pps, seconds)
        return kept

    def _tell(self, trial: SearchTrial | None, purpose: Purpose, load_pps: float, seconds: float) -> None:
        if self.execution.watch is None:
            return
        intervals = self.controller.intervals() if self.controller is not None else ()
        spent_s = self.controller.spent_s if self.controller is not None else 0.0
        count = len(self.trials)
        self.execution.tell(
            SearchProgress(self.head, intervals, trial, purpose, load_pps, seconds, count, spent_s, self.plan.limit_s)
        )
