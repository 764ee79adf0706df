"""MLRsearch over any way to measure a load: what it finds for each goal, and what of it is whose doing.

The search itself is the package of that name; here it is given trials, and asked what it knows whenever somebody wants
to see it or when it has to end early. Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal

from wirespeed.errors import MeasurementError
from wirespeed.results.machine import absence_text
from wirespeed.results.search import Goal, GoalOutcome, Limit, Purpose, SearchTrial

Measure = Callable[[float, float, Purpose], SearchTrial]
"""Holds a load (packets a second of each direction) for some seconds. What it returns has been `judged` and kept."""

_ENDLESS_S = 1e9
_ABOUT = 1.001
"""Loads are on a grid, on which the lowest one is not quite what was asked for."""


@dataclass(frozen=True)
class Interval:
    """What is known of a goal so far: the load is at least `lower_pps` and less than `upper_pps`."""

    goal: Goal
    lower_pps: float | None
    upper_pps: float | None
    conditional_pps: float | None = None

    @property
    def is_narrow(self) -> bool:
        """Whether it is as narrow as the goal wants it."""
        if self.lower_pps is None or self.upper_pps is None:
            return False
        return (self.upper_pps - self.lower_pps) / self.upper_pps <= self.goal.width * 1.001


class OutOfTime(Exception):
    """The time that the user gave is over."""


@dataclass
class Controller:
    """One search. `least_pps` and `most_pps` are the loads it may use; `limit_s` is the time it may take, as trials
    tell it. At one load at most `repeats` trials are repeated whose loss the machine explains."""

    goals: Sequence[Goal]
    least_pps: float
    most_pps: float
    measure: Measure
    warmup_s: float = 0.0
    limit_s: float = _ENDLESS_S
    repeats: int = 0
    trials: list[SearchTrial] = field(default_factory=list)
    spent_s: float = 0.0
    _search: MultipleLossRatioSearch | None = None

    def run(self) -> None:
        """Search until every goal is reached. OutOfTime, MeasurementError (a DUT that fell silent) or whatever
        `measure` raises ends it early; `intervals` and `outcomes` then say what is known."""
        config = Config()
        config.goals = [_package_goal(goal) for goal in self.goals]
        config.min_load = min(self.least_pps, config.min_load)  # each is checked against the other as it is set
        config.max_load = self.most_pps
        config.min_load = self.least_pps
        config.search_duration_max = _ENDLESS_S
        config.warmup_duration = self.warmup_s or None
        self._search = MultipleLossRatioSearch(config)
        self._search.search(_Measurer(self), debug=lambda _: None)

    def intervals(self) -> tuple[Interval, ...]:
        """Of each goal, in their order."""
        search = self._search
        if search is None or search.database is None:
            return tuple(Interval(goal, None, None) for goal in self.goals)
        found = []
        for goal in self.goals:
            target = search.scaling.goal_to_final_target[_package_goal(goal)]
            bounds = search.database.get_relevant_bounds(target)
            lower = None if bounds.clo is None else float(bounds.clo)
            upper = None if bounds.chi is None else float(bounds.chi)
            conditional = None
            if bounds.clo is not None and lower is not None:
                conditional = lower * (1 - bounds.clo.target_to_stat[target].pessimistic_loss_ratio)
            found.append(Interval(goal, lower, upper, conditional))
        return tuple(found)

    def outcomes(self, *, most_is_line: bool, ended_early: str = "") -> tuple[GoalOutcome, ...]:
        """What is found for each goal; `ended_early` says why the search ended before it was done."""
        return tuple(self._outcome(interval, most_is_line, ended_early) for interval in self.intervals())

    def _outcome(self, interval: Interval, most_is_line: bool, ended_early: str) -> GoalOutcome:
        goal, lower, upper = interval.goal, interval.lower_pps, interval.upper_pps
        limit: Limit = "none"
        irregular = ended_early if not interval.is_narrow else ""
        if upper is not None:
            tried = [trial for trial in self.trials if trial.purpose == "search" and trial.load_pps == upper]
            limit = _whose([trial for trial in tried if not trial.set_aside], goal)
            if limit == "machine":
                irregular = _machine_text(upper, tried, goal)
            elif lower is None and upper <= self.least_pps * (1 + goal.width):
                limit = "minimum"
                irregular = f"the lowest load, {self.least_pps:,.0f} pps, lost more than {goal.loss_ratio * 100:g} %"
            elif limit == "tester":
                irregular = "the tester could not offer more: the DUT carries at least the lower bound"
        elif lower is not None and lower >= self.most_pps * (1 - goal.width):
            limit, irregular = ("line" if most_is_line else "maximum"), ""
        return GoalOutcome(goal, lower, upper, interval.conditional_pps, limit, irregular)

    def take(self, load_pps: float, duration_s: float) -> SearchTrial:
        """Measure once for the package: the trial that counts."""
        is_warmup = bool(self.warmup_s) and not any(trial.purpose == "warm-up" for trial in self.trials)
        while True:
            if self.spent_s >= self.limit_s:
                raise OutOfTime
            trial = self.measure(load_pps, duration_s, "warm-up" if is_warmup else "search")
            self._check_silence()
            if not trial.set_aside:
                return trial

    def judged(self, trial: SearchTrial) -> SearchTrial:
        """The trial, set aside if it is to be repeated: a goal that is still open would fail by it, but for what
        absences explain, and there are not too many of the kind at its load."""
        if trial.purpose != "search" or not any(_would_fail(one, trial) for one in self.intervals()):
            return trial
        aside = sum(bool(one.set_aside) for one in self.trials if one.load_pps == trial.load_pps)
        return trial if aside >= self.repeats else replace(trial, set_aside=why_aside(trial))

    def keep(self, trial: SearchTrial) -> None:
        """Every trial that is measured is kept, those too that do not count."""
        self.trials.append(trial)
        self.spent_s += trial.trial.effective_s

    def _check_silence(self) -> None:
        """A device may return nothing of more than it can take. One that returns nothing of the lowest load, or no
        longer returns what it did at a higher one, is gone."""
        *before, last = self.trials
        for wire, channel in last.trial.channels.items():
            if channel.balance.received or not channel.balance.offered:
                continue
            once = [
                one for one in before if one.trial.channels[wire].balance.received and one.load_pps >= last.load_pps
            ]
            again = bool(before) and not before[-1].trial.channels[wire].balance.received
            if last.load_pps <= self.least_pps * _ABOUT or (once and again):
                raise MeasurementError(
                    f"the DUT returned nothing of {channel.balance.offered:,.0f} packets of {wire}, offered at "
                    f"{last.load_pps:,.0f} pps: check its links, its routes to the profile's addresses and its "
                    "neighbour (ARP) entries for the generator"
                )


class _Measurer(AbstractMeasurer):  # type: ignore[misc] # the package has no types
    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        trial = self._controller.take(intended_load, intended_duration)
        balance, wanted = trial.trial.balance, round(trial.wanted)
        offered = min(wanted, round(balance.offered))
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=offered,
            loss_count=min(offered, round(balance.lost)),
            intended_count=wanted,
            offered_duration=trial.trial.duration_s,
            duration_with_overheads=trial.trial.effective_s,
        )


def _package_goal(goal: Goal) -> SearchGoal:
    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        relative_width=goal.width,
        initial_trial_duration=goal.initial_s,
        final_trial_duration=goal.final_s,
        duration_sum=goal.sum_s,
        fail_fast=False,
    )


def repeats_for(goals: Sequence[Goal]) -> int:
    """How many trials of one load may be repeated: half as many as the most thorough goal has, and three at least."""
    return max((3, *(int(goal.sum_s / goal.final_s / 2) for goal in goals)))


def _would_fail(interval: Interval, trial: SearchTrial) -> bool:
    """Whether the trial speaks against a load that may still be the goal's, and only absences make it do so."""
    lower, upper, load = interval.lower_pps, interval.upper_pps, trial.load_pps
    is_open = not interval.is_narrow and (lower is None or load > lower) and (upper is None or load < upper)
    return is_open and trial.is_spoilt_for(interval.goal)


def why_aside(trial: SearchTrial) -> str:
    most = sum(one.most_by_absence or 0.0 for one in trial.trial.channels.values())
    return absence_text(trial.trial.moment, most)


def _whose(tried: Sequence[SearchTrial], goal: Goal) -> Limit:
    """Whose doing it is that a load fails the goal. The DUT's or the tester's, if it does so without the trials that
    the machine spoilt; whoever has the more of the time."""
    seconds: dict[Limit, float] = {"dut": 0.0, "tester": 0.0, "machine": 0.0, "none": 0.0}
    for trial in tried:
        seconds[_failed_by(trial, goal)] += trial.trial.effective_s
    failed_s = seconds["dut"] + seconds["tester"]
    if failed_s > goal.exceed_ratio * (failed_s + seconds["none"]):
        return "dut" if seconds["dut"] >= seconds["tester"] else "tester"
    return "machine" if seconds["machine"] else "none"


def _failed_by(trial: SearchTrial, goal: Goal) -> Limit:
    if trial.loss_ratio <= goal.loss_ratio:
        return "none"
    if trial.is_spoilt_for(goal):
        return "machine"
    return "tester" if trial.dut_loss_ratio <= goal.loss_ratio else "dut"


def _machine_text(upper_pps: float, tried: Sequence[SearchTrial], goal: Goal) -> str:
    spoilt = sum(trial.is_spoilt_for(goal) for trial in tried)
    repeated = sum(bool(trial.set_aside) for trial in tried)
    told = f", {repeated} of them repeated" if repeated else ""
    return (
        f"workers that did not have their CPUs explain the loss of {spoilt} of {len(tried)} trials at "
        f"{upper_pps:,.0f} pps{told}: the DUT may carry more"
    )


def by_name(outcomes: Sequence[GoalOutcome]) -> Mapping[str, GoalOutcome]:
    return {outcome.goal.name: outcome for outcome in outcomes}
