"""The result of a search for loads that a DUT carries, as a value.

Terms are those of MLRsearch (draft-ietf-bmwg-mlrsearch): a goal, its relevant lower and upper bound, conditional
throughput, irregular results. A load is packets a second of each direction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean, stdev
from typing import Annotated, Any, ClassVar, Literal, Self

from wirespeed.results.codec import INLINE, SPARSE
from wirespeed.results.draw import Draw
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.trial import ChannelTrial, TrialResult

Purpose = Literal["warm-up", "search", "mrr", "latency"]

Limit = Literal["dut", "tester", "machine", "line", "maximum", "minimum", "none"]
"""What an upper bound is due to. `machine`: CPUs were taken from tester or DUT; `line` and `maximum`: there is no upper
bound, since the whole line or the highest load that was allowed was carried; `minimum`: even the lowest load that was
allowed lost too much; `none`: nothing was found out."""


@dataclass(frozen=True)
class Goal:
    """What is searched for: the highest load at which at most `exceed_ratio` of `sum_s` seconds of trials of `final_s`
    each lose more than `loss_ratio`, found to within `width` of itself. Searching begins with trials of `initial_s`."""

    name: str
    loss_ratio: float = 0.0
    exceed_ratio: float = 0.5
    final_s: float = 1.0
    sum_s: float = 21.0
    width: float = 0.005
    initial_s: float = 1.0


@dataclass(frozen=True)
class SearchTrial:
    """A trial and what it was for. `load_pps` and `intended_s` are what was asked for, `label` what a trial of latency
    is called (`50 % of PDR`); one that does not count says why in `set_aside`."""

    also_stored: ClassVar[Mapping[str, str]] = {"loss_ratio": "loss_ratio"}

    number: int
    purpose: Purpose
    load_pps: float
    intended_s: float
    trial: Annotated[TrialResult, INLINE]
    label: Annotated[str, SPARSE] = ""
    set_aside: Annotated[str, SPARSE] = ""

    @property
    def wanted(self) -> float:
        """Packets that were to be offered, by the tester's account or, where it keeps none and fell short, by the
        load."""
        return sum(map(self._wanted, self.trial.channels.values()))

    def _wanted(self, one: ChannelTrial) -> float:
        if one.tester_limited and one.balance.asked is None:
            return max(one.balance.offered, self.load_pps * self.intended_s)
        return one.balance.offered + one.balance.unoffered

    @property
    def loss_ratio(self) -> float:
        """What goals are judged by: of all that was to be offered, in all directions together, the share that did not
        come back or was never offered."""
        wanted, balance = self.wanted, self.trial.balance
        return min(1.0, (balance.lost + wanted - balance.offered) / wanted) if wanted > 0 else 0.0

    @property
    def not_sent_ratio(self) -> float:
        """Of all that was to be offered, the share that the tester did not send. No device lost it."""
        wanted = self.wanted
        return max(0.0, 1 - self.trial.balance.offered / wanted) if wanted > 0 else 0.0

    @property
    def lost_ratio(self) -> float:
        """Of what was offered, the share that did not come back."""
        return self.trial.balance.loss_ratio

    @property
    def sure_loss_ratio(self) -> float:
        """The same less what absences can explain in each direction; one direction excuses no loss of another."""
        sure = (
            max(0.0, one.balance.lost + self._wanted(one) - one.balance.offered - (one.most_by_absence or 0.0))
            for one in self.trial.channels.values()
        )
        return min(1.0, sum(sure) / self.wanted) if self.wanted > 0 else 0.0

    def is_spoilt_for(self, goal: Goal) -> bool:
        """Whether it fails the goal and would not, but for what absences explain."""
        return self.sure_loss_ratio <= goal.loss_ratio < self.loss_ratio

    @property
    def dut_loss_ratio(self) -> float:
        """Of what was offered, the share that the DUT lost."""
        balance = self.trial.balance
        return min(1.0, balance.lost_by_dut / balance.offered) if balance.offered > 0 else 0.0

    @property
    def received_pps(self) -> float:
        """All directions together."""
        return sum(one.received_pps for one in self.trial.channels.values())

    @property
    def offered_pps(self) -> float:
        return sum(one.offered_pps for one in self.trial.channels.values())


@dataclass(frozen=True)
class GoalOutcome:
    """What was found for a goal. `conditional_pps` is the lower bound less what its trials may have lost; `limit` is
    what set the upper bound. `irregular` says why the result is not what the goal asked for; empty of a regular one."""

    goal: Goal
    lower_pps: float | None = None
    upper_pps: float | None = None
    conditional_pps: float | None = None
    limit: Limit = "none"
    irregular: str = ""

    @property
    def is_at_least(self) -> bool:
        """Whether the upper bound says nothing of the DUT: it was the tester's or the machine's doing."""
        return self.limit in ("tester", "machine")


@dataclass(frozen=True)
class Rates:
    """Received packets a second, all directions together, over several trials of one load."""

    count: int
    mean_pps: float
    stdev_pps: float
    least_pps: float
    most_pps: float


@dataclass(frozen=True)
class SearchResult(MeasurementResult):
    """A whole search. `most_pps` was the highest load allowed, the line's own when `most_is_line`. `spent_s` is how
    long it took."""

    kind = "search"
    schema = "wirespeed-search/1"
    noun = "search result"
    journal_noun = "a search"
    also_stored: ClassVar[Mapping[str, str]] = {"mrr": "mrr"}

    least_pps: float
    most_pps: float
    most_is_line: bool
    trials: tuple[SearchTrial, ...] = ()
    goals: tuple[GoalOutcome, ...] = ()
    spent_s: float = 0.0

    @property
    def is_empty(self) -> bool:
        return not self.trials

    def line_percent(self, load_pps: float) -> float | None:
        """A load of each direction as percent of the narrowest line."""
        line = self.line_pps
        return None if line is None else load_pps / line * 100

    def of(self, purpose: Purpose) -> tuple[SearchTrial, ...]:
        return tuple(trial for trial in self.trials if trial.purpose == purpose)

    @property
    def mrr(self) -> Rates | None:
        """Maximum receive rate: what comes back while all that is allowed is offered."""
        rates = [trial.received_pps for trial in self.of("mrr") if not trial.set_aside]
        if not rates:
            return None
        spread = stdev(rates) if len(rates) > 1 else 0.0
        return Rates(len(rates), fmean(rates), spread, min(rates), max(rates))

    @property
    def draws(self) -> tuple[Draw, ...]:
        return tuple(self._draws())

    def _draws(self) -> Iterator[Draw]:
        trials = sorted(self.trials, key=lambda one: one.load_pps)
        for _, grouped in groupby(trials, key=lambda one: one.load_pps):
            found = list(grouped)
            known = [one for one in found if one.trial.dut.watts is not None]
            used = known or found
            yield Draw(
                load="trial",
                offered_pps=fmean(one.offered_pps for one in used),
                received_pps=fmean(one.received_pps for one in used),
                watts=fmean(one.trial.dut.watts or 0.0 for one in known) if known else None,
                readings=len(found),
                gaps=len(found) - len(known),
            )

    @classmethod
    def _replayed(cls, head: dict[str, Any], entries: Sequence[Mapping[str, Any]], name: str) -> tuple[Self, str]:
        """Its goals, which stand in the head as outcomes that found nothing yet, are irregular."""
        reason = f"the search did not end by itself; its {len(entries)} trials are from its journal"
        result = cls.from_json({**head, "trials": list(entries)}, name)
        goals = tuple(replace(goal, irregular=reason) for goal in result.goals)
        return replace(result, goals=goals, spent_s=sum(one.trial.effective_s for one in result.trials)), reason
