"""MLRsearch over any way to measure a load: what it finds for each goal, and what of it is whose doing.

The search itself is the package of that name; here it is given trials, and asked what it knows whenever somebody wants
to see it or when it has to end early. Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal

from wirespeed.errors import MeasurementError
from wirespeed.results.search import Goal, GoalOutcome, Limit, Purpose, SearchTrial

Measure = Callable[[float, float, Purpose], SearchTrial]
"""Holds a load (packets a second of each direction) for some seconds; several trials where one had to be repeated, of
which it returns the one that counts."""

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
    tell it."""

    goals: Sequence[Goal]
    least_pps: float
    most_pps: float
    measure: Measure
    warmup_s: float = 0.0
    limit_s: float = _ENDLESS_S
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
            bad = [trial for trial in self._searched if trial.load_pps == upper and trial.loss_ratio > goal.loss_ratio]
            limit = _whose(bad, goal)
            if lower is None and upper <= self.least_pps * (1 + goal.width):
                limit = "minimum"
                irregular = f"the lowest load, {self.least_pps:,.0f} pps, lost more than {goal.loss_ratio * 100:g} %"
            elif limit == "tester":
                irregular = "the tester could not offer more: the DUT carries at least the lower bound"
            elif limit == "machine":
                irregular = "CPUs that were away set the upper bound: the DUT may carry more"
        elif lower is not None and lower >= self.most_pps * (1 - goal.width):
            limit, irregular = ("line" if most_is_line else "maximum"), ""
        return GoalOutcome(goal, lower, upper, interval.conditional_pps, limit, irregular)

    @property
    def _searched(self) -> list[SearchTrial]:
        return [trial for trial in self.trials if trial.purpose == "search" and not trial.set_aside]

    def take(self, load_pps: float, duration_s: float) -> SearchTrial:
        """Measure once for the package."""
        if self.spent_s >= self.limit_s:
            raise OutOfTime
        is_warmup = bool(self.warmup_s) and not any(trial.purpose == "warm-up" for trial in self.trials)
        trial = self.measure(load_pps, duration_s, "warm-up" if is_warmup else "search")
        self._check_silence()
        return trial

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


def _whose(bad: Sequence[SearchTrial], goal: Goal) -> Limit:
    """Whose doing it is that trials lost more than the goal allows: who spoilt the most of their time."""
    if not bad:
        return "none"
    seconds: dict[Limit, float] = {"dut": 0.0, "tester": 0.0, "machine": 0.0}
    for trial in bad:
        if trial.trial.spoilt is not None:
            seconds["machine"] += trial.trial.effective_s
        elif trial.dut_loss_ratio <= goal.loss_ratio:
            seconds["tester"] += trial.trial.effective_s
        else:
            seconds["dut"] += trial.trial.effective_s
    return max(seconds, key=lambda limit: seconds[limit])


def by_name(outcomes: Sequence[GoalOutcome]) -> Mapping[str, GoalOutcome]:
    return {outcome.goal.name: outcome for outcome in outcomes}
