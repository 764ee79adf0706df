"""MLRsearch over any way to measure a load: its outcome for each goal, and the cause of each bound.

The package of that name does the search. This module feeds it with trials, and reads its state for progress lines and
after an early end. Nothing is sent here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING

from wirespeed.errors import MeasurementError, UsageError
from wirespeed.later import Later
from wirespeed.results.balance import Balance
from wirespeed.results.machine import preemption_text
from wirespeed.results.search_trial import BoundLimit, Goal, GoalOutcome, Purpose, SearchTrial

if TYPE_CHECKING:
    from MLRsearch import MultipleLossRatioSearch

    from wirespeed.trial import mlr
else:
    mlr = Later("wirespeed.trial.mlr")

Measure = Callable[[float, float, Purpose], SearchTrial]
"""Holds a load (packets per second per direction) for some seconds, and returns the judged and stored trial."""

_ENDLESS_S = 1e9
_ABOUT = 1.001
"""Relative tolerance for the lowest load, since loads are on a grid."""
_ENOUGH = 3
"""Number of trials above all passing loads that the tester could not offer, after which its limit counts as reached.
Twice as many do at any loads."""
_MARGIN = 0.01
"""Margin below the load that the tester offered; doubled each time that the tester cannot send the reduced load
either."""
_MOST_CEILINGS = 6


@dataclass(frozen=True)
class Interval:
    """Bounds of a goal so far: its load is at least `lower_pps` and less than `upper_pps`."""

    goal: Goal
    lower_pps: float | None
    upper_pps: float | None
    conditional_pps: float | None = None

    @property
    def is_narrow(self) -> bool:
        """True if the interval has the goal's width."""
        if self.lower_pps is None or self.upper_pps is None:
            return False
        return (self.upper_pps - self.lower_pps) / self.upper_pps <= self.goal.width * 1.001

    def is_done(self, most_pps: float) -> bool:
        """True if the search for this goal is complete: the interval is narrow, or the highest load was forwarded."""
        return self.is_narrow or (self.lower_pps is not None and self.lower_pps >= most_pps * (1 - self.goal.width))


class OutOfTime(Exception):
    """The time that the user gave is over."""


class _Disturbed(Exception):
    """The host disturbs all trials at several loads: further trials would only measure the host."""


class _Ceiling(Exception):
    """The limit of the tester in packets per second per direction: trials above it show nothing about the DUT."""

    def __init__(self, pps: float) -> None:
        super().__init__(pps)
        self.pps = pps


@dataclass
class Controller:
    """One search. `least_pps` and `most_pps` bound the loads; `limit_s` is the maximum time, by the duration of trials.
    At one load at most `repeats` disturbed trials are repeated."""

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
    _ceilings: list[float] = field(default_factory=list)
    _first: int = 0
    """Index of the first trial under the last ceiling."""
    _disturbed: str = ""
    """Why the host ended the search."""
    _done: dict[str, tuple[Interval, float]] = field(default_factory=dict)
    """Goals that were done before it, with the highest load that they were searched up to."""

    def run(self) -> None:
        """Search until every goal is reached, below the limit of the tester, or until the host disturbs each trial.
        OutOfTime, MeasurementError (the DUT returns nothing any more) or an error of `measure` ends it early;
        `intervals` and `outcomes` then have the bounds so far."""
        while True:
            try:
                self._run()
                return
            except _Disturbed as disturbed:
                self._disturbed = str(disturbed)
                return
            except _Ceiling as ceiling:
                for interval in self.intervals():
                    if interval.is_done(self._top_pps):
                        self._done.setdefault(interval.goal.name, (interval, self._top_pps))
                self._ceilings.append(ceiling.pps)
                self._first = len(self.trials)
                self._search = None
                if ceiling.pps <= self.least_pps * _ABOUT or len(self._done) == len(self.goals):
                    return

    def _run(self) -> None:
        warmup_s = 0.0 if self._ceilings else self.warmup_s
        self._search = mlr.search_for(self._open_goals, self.least_pps, self._top_pps, warmup_s)
        self._search.search(mlr.Measurer(self.take), debug=lambda _: None)

    @property
    def _top_pps(self) -> float:
        """The highest load that is tried now."""
        return self._ceilings[-1] if self._ceilings else self.most_pps

    @property
    def _open_goals(self) -> list[Goal]:
        return [goal for goal in self.goals if goal.name not in self._done]

    def intervals(self) -> tuple[Interval, ...]:
        """Intervals of the goals, in their order."""
        known = {name: interval for name, (interval, _) in self._done.items()}
        known |= {interval.goal.name: interval for interval in self._searched()}
        return tuple(known.get(goal.name, Interval(goal, None, None)) for goal in self.goals)

    def _searched(self) -> list[Interval]:
        """Intervals of the goals that are searched now."""
        search = self._search
        if search is None or search.database is None:
            return []
        intervals = []
        for goal in self._open_goals:
            target = search.scaling.goal_to_final_target[mlr.package_goal(goal)]
            bounds = search.database.get_relevant_bounds(target)
            lower = None if bounds.clo is None else float(bounds.clo)
            upper = None if bounds.chi is None else float(bounds.chi)
            conditional = None
            if bounds.clo is not None and lower is not None:
                conditional = lower * (1 - bounds.clo.target_to_stat[target].pessimistic_loss_ratio)
            intervals.append(Interval(goal, lower, upper, conditional))
        return intervals

    def outcomes(self, *, most_is_line: bool, ended_early: str = "") -> tuple[GoalOutcome, ...]:
        """The outcome of each goal; `ended_early` is the reason if the search ended before it was complete."""
        return tuple(self._outcome(interval, most_is_line, ended_early) for interval in self.intervals())

    def _outcome(self, interval: Interval, most_is_line: bool, ended_early: str) -> GoalOutcome:
        goal, lower, upper = interval.goal, interval.lower_pps, interval.upper_pps
        top_pps = self._done[goal.name][1] if goal.name in self._done else self._top_pps
        limit: BoundLimit = "none"
        irregular = ended_early if not interval.is_narrow else ""
        if self._disturbed and not interval.is_narrow:
            limit, irregular = "host", self._disturbed
        elif upper is not None:
            tried = [trial for trial in self.trials if trial.purpose == "search" and trial.load_pps == upper]
            limit = _whose([trial for trial in tried if not trial.excluded], goal)
            if limit == "none" and self._ceilings:
                limit = "tester"
            if limit == "host":
                irregular = _machine_text(upper, tried, goal)
            elif lower is None and upper <= self.least_pps * (1 + goal.width):
                limit = "minimum"
                irregular = f"the lowest load, {self.least_pps:,.0f} pps, lost more than {goal.loss_ratio * 100:g} %"
            elif limit == "tester":
                irregular = self._tester_text(goal, lower)
        elif self._ceilings and top_pps < self.most_pps and (lower is None or interval.is_done(top_pps)):
            limit, irregular = "tester", irregular or self._tester_text(goal, lower)
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
            if not trial.excluded:
                if not is_warmup:
                    self._check_host(trial)
                    self._check_ceiling()
                return trial

    def judged(self, trial: SearchTrial) -> SearchTrial:
        """The trial, set aside if it is to be repeated: a goal that is still open would fail by it, but for what
        preemption explains, and there are not too many of the kind at its load."""
        if trial.purpose != "search" or not any(_would_fail(one, trial) for one in self.intervals()):
            return trial
        aside = sum(bool(one.excluded) for one in self.trials if one.load_pps == trial.load_pps)
        return trial if aside >= self.repeats else replace(trial, excluded=why_aside(trial))

    def keep(self, trial: SearchTrial) -> None:
        """Every trial that is measured is kept, those too that do not count."""
        self.trials.append(trial)
        self.spent_s += trial.trial.effective_s

    def _check_host(self, last: SearchTrial) -> None:
        """Raise _Disturbed if all repeats at several loads, including that of `last`, were disturbed, and the DUT
        failed no load."""
        open_goals = [one.goal for one in self._searched() if not one.is_done(self._top_pps)] or self._open_goals
        goal = max(open_goals, key=lambda trial: trial.loss_ratio)
        if not self.repeats or _failed_by(last, goal) != "host":
            return
        loads: dict[float, list[SearchTrial]] = {}
        for one in self.of_search:
            loads.setdefault(one.load_pps, []).append(one)
        disturbed = [same for same in loads.values() if sum(bool(one.excluded) for one in same) >= self.repeats]
        hopeless = [same for same in disturbed if all(_failed_by(one, goal) == "host" for one in same)]
        if len(hopeless) >= _ENOUGH and not any(_failed_by(one, goal) == "dut" for one in self.of_search):
            raise _Disturbed(
                f"preemption of workers disturbed all {sum(map(len, hopeless))} trials of "
                f"{len(hopeless)} loads: close other programs or give the lab CPUs of its own"
            )

    @property
    def of_search(self) -> list[SearchTrial]:
        """Trials of the search itself, including excluded ones."""
        return [one for one in self.trials if one.purpose == "search"]

    def _check_ceiling(self) -> None:
        """Raise _Ceiling if further trials would only measure the tester: it offered none of the loads above those that
        passed, it failed some trials of several loads, or it set the upper bound of a goal, and there was no other
        cause."""
        if len(self._ceilings) >= _MOST_CEILINGS:
            return
        intervals = [interval for interval in self._searched() if not interval.is_done(self._top_pps)]
        open_goals = [interval.goal for interval in intervals] or self._open_goals
        goal = max(open_goals, key=lambda one: one.loss_ratio)
        counted = [one for one in self.trials[self._first :] if one.purpose == "search" and not one.excluded]
        whose = [(one, _failed_by(one, goal)) for one in counted]
        failed = [one for one, who in whose if who == "tester"]
        passed_pps = max((one.load_pps for one, who in whose if who == "none"), default=0.0)
        if any(who == "dut" for _, who in whose) or not failed:
            return
        at_upper = [one for interval in intervals for one in counted if one.load_pps == interval.upper_pps]
        is_bound = any(_whose(at_upper, interval.goal) == "tester" for interval in intervals)
        if sum(one.load_pps > passed_pps for one in failed) >= _ENOUGH or len(failed) >= 2 * _ENOUGH or is_bound:
            raise _Ceiling(self._below(failed))

    def _below(self, failed: Sequence[SearchTrial]) -> float:
        """A load that the tester can offer, from the loads that it could not offer."""
        offered = [min(channel.offered_pps for channel in one.trial.channels.values()) for one in failed]
        least = min(one.load_pps for one in failed)
        margin: float = _MARGIN * (1 << len(self._ceilings))
        # The tester's maximum varies between trials, and a few trials do not show its minimum.
        below = max(min(offered) - (max(offered) - min(offered)) / 2, median(offered) / 2)
        return max(self.least_pps, min(below, least) * (1 - margin))

    def _tester_text(self, goal: Goal, lower_pps: float | None) -> str:
        """The load that the tester reached, the reason for its limit and a remedy; also what the DUT forwarded above it
        in single trials, which prove no bound."""
        tried = [one for one in self.trials if one.purpose == "search"]
        balances = [channel.balance for one in tried for channel in one.trial.channels.values()]
        at = f" more than {self._ceilings[0]:,.0f} pps" if self._ceilings else " more"
        text = f"the tester could not offer{at}{_why_unsent(balances)}: the DUT carries at least the lower bound"
        carried = [
            min(channel.offered_pps for channel in one.trial.channels.values())
            for one in tried
            if one.dut_loss_ratio <= goal.loss_ratio and one.trial.channels
        ]
        most_pps = max(carried, default=0.0)
        if most_pps <= (1 + 2 * goal.width) * (lower_pps or 0.0):
            return text
        return f"{text}; of single trials it carried up to {most_pps:,.0f} pps, all that was sent"

    def _check_silence(self) -> None:
        """A device may return nothing at a load beyond its limit. If it returns nothing at the lowest load, or at a
        load below one that it carried before, it is gone."""
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


def repeats_for(goals: Sequence[Goal]) -> int:
    """The number of trials of one load that may be repeated: half as many as the most thorough goal has, at least
    three."""
    return max((3, *(int(goal.sum_s / goal.final_s / 2) for goal in goals)))


def check_resolution(goals: Sequence[Goal], most_pps: float) -> None:
    """UsageError for a goal whose trials have too few packets to resolve it, even at the highest load of all
    directions."""
    for goal in goals:
        packets = goal.final_s * most_pps
        if goal.loss_ratio and goal.loss_ratio * packets < 1:
            raise UsageError(
                f"goal {goal.name}: its loss ratio of {goal.loss_ratio:g} is less than one of the {packets:,.0f} "
                f"packets that a trial of {goal.final_s:g} s has at most; give a longer final= or a higher loss="
            )
        if goal.width * packets < 1:
            raise UsageError(
                f"goal {goal.name}: loads {goal.width * 100:g} % apart differ by less than one packet in a trial of "
                f"{goal.final_s:g} s; give a longer final= or a larger width="
            )


def _would_fail(interval: Interval, trial: SearchTrial) -> bool:
    """True if the trial fails a load that is still possible for the goal, only because of preemption."""
    lower, upper, load = interval.lower_pps, interval.upper_pps, trial.load_pps
    is_open = not interval.is_narrow and (lower is None or load > lower) and (upper is None or load < upper)
    return is_open and trial.is_disturbed_for(interval.goal)


def why_aside(trial: SearchTrial) -> str:
    most = sum(one.most_by_preemption or 0.0 for one in trial.trial.channels.values())
    return preemption_text(trial.trial.preemption, most)


def _whose(tried: Sequence[SearchTrial], goal: Goal) -> BoundLimit:
    """Cause of a load's failure to meet the goal: DUT or tester, whichever has more of the time, if it fails without
    the disturbed trials too."""
    seconds: dict[BoundLimit, float] = {"dut": 0.0, "tester": 0.0, "host": 0.0, "none": 0.0}
    for trial in tried:
        seconds[_failed_by(trial, goal)] += trial.trial.effective_s
    failed_s = seconds["dut"] + seconds["tester"]
    if failed_s > goal.exceed_ratio * (failed_s + seconds["none"]):
        return "dut" if seconds["dut"] >= seconds["tester"] else "tester"
    return "host" if seconds["host"] else "none"


def _failed_by(trial: SearchTrial, goal: Goal) -> BoundLimit:
    if trial.loss_ratio <= goal.loss_ratio:
        return "none"
    if trial.is_disturbed_for(goal):
        return "host"
    return "tester" if trial.dut_loss_ratio <= goal.loss_ratio else "dut"


def _why_unsent(balances: Sequence[Balance]) -> str:
    """The reasons that the tester counts for packets not sent, with remedies."""
    reasons = {
        "its worker came too late; give it a CPU of its own, or end other programs": sum(one.late for one in balances),
        "its packet pool was empty; give the generator more hugepages": sum(one.no_buffer for one in balances),
        "its port took no more; try another medium or more queues": sum(
            one.refused for one in balances if not one.refusing_is_duts
        ),
    }
    reason, count = max(reasons.items(), key=lambda item: item[1])
    if count <= 0:
        return " (it sends less than it is asked for; a faster tester, or two of them)"
    return f" ({reason}; `wirespeed testbed check --tester` measures it alone)"


def _machine_text(upper_pps: float, tried: Sequence[SearchTrial], goal: Goal) -> str:
    disturbed = sum(trial.is_disturbed_for(goal) for trial in tried)
    repeated = sum(bool(trial.excluded) for trial in tried)
    told = f", {repeated} of them repeated" if repeated else ""
    return (
        f"preemption of workers explains the loss of {disturbed} of {len(tried)} trials at "
        f"{upper_pps:,.0f} pps{told}: the DUT may carry more"
    )
