"""A trial as a search judges it: by all that was to be offered.

Terms are those of MLRsearch (draft-ietf-bmwg-mlrsearch). A load is packets per second of each direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from wirespeed.results.codec import INLINE, SPARSE, Stored, with_former
from wirespeed.results.trial import ChannelTrial, TrialResult

BoundLimit = Literal["dut", "tester", "host", "line", "maximum", "minimum", "none"]
"""Cause of the upper bound of a search. `host`: CPUs of tester or DUT were preempted. `line` and `maximum`: there is no
upper bound, since line rate or the highest load allowed was forwarded. `minimum`: the lowest load allowed lost too
much. `none`: unknown."""
StoredLimit = Annotated[BoundLimit, with_former(BoundLimit, {"machine": "host"})]
Purpose = Literal["warm-up", "search", "mrr", "latency"]


@dataclass(frozen=True)
class Goal:
    """A goal of a search: the highest load at which at most `exceed_ratio` of `sum_s` seconds of trials of `final_s`
    each lose more than `loss_ratio`, to a relative precision of `width`. The first trials last `initial_s`."""

    name: str
    loss_ratio: float = 0.0
    exceed_ratio: float = 0.5
    final_s: float = 1.0
    sum_s: float = 21.0
    width: float = 0.005
    initial_s: float = 1.0


@dataclass(frozen=True)
class GoalOutcome:
    """The result for a goal. `conditional_pps` is the lower bound minus the loss that its trials may have; `limit` is
    the cause of the upper bound. `irregular` is the reason why the result does not meet the goal's definition, or
    empty."""

    goal: Goal
    lower_pps: float | None = None
    upper_pps: float | None = None
    conditional_pps: float | None = None
    limit: StoredLimit = "none"
    irregular: str = ""

    @property
    def is_at_least(self) -> bool:
        """True if tester or host caused the upper bound, which then says nothing about the DUT."""
        return self.limit in ("tester", "host")


@dataclass(frozen=True)
class SearchTrial:
    """A trial and its purpose. `load_pps` and `intended_s` are as intended, `label` names a latency trial (`50 % of
    PDR`). `excluded` is the reason why a trial does not count. `loss_ratio` is the share of the intended load, in all
    directions, that was lost or not sent."""

    also_stored: ClassVar[Mapping[str, str]] = {"loss_ratio": "loss_ratio"}

    number: int
    purpose: Purpose
    load_pps: float
    intended_s: float
    trial: Annotated[TrialResult, INLINE]
    label: Annotated[str, SPARSE] = ""
    excluded: Annotated[str, Stored(sparse=True, former="set_aside")] = ""

    @property
    def wanted(self) -> float:
        """Intended packets, by the tester's count. If it does not count them and fell short: by the load and the
        time."""
        return sum(map(self._wanted, self.trial.channels.values()))

    def _wanted(self, one: ChannelTrial) -> float:
        if one.tester_limited and one.balance.intended is None:
            return max(one.balance.offered, self.load_pps * self.intended_s)
        return one.balance.offered + one.balance.unoffered

    @property
    def loss_ratio(self) -> float:
        """Share of the intended packets, in all directions together, that were lost or not sent. Goals are judged by
        it."""
        wanted, balance = self.wanted, self.trial.balance
        return min(1.0, (balance.lost + wanted - balance.offered) / wanted) if wanted > 0 else 0.0

    @property
    def not_sent_ratio(self) -> float:
        """Share of the intended packets that the tester did not send. No device lost them."""
        wanted = self.wanted
        return max(0.0, 1 - self.trial.balance.offered / wanted) if wanted > 0 else 0.0

    @property
    def lost_ratio(self) -> float:
        """Share of the offered packets that did not return."""
        return self.trial.balance.loss_ratio

    @property
    def sure_loss_ratio(self) -> float:
        """Loss ratio minus the loss that preemption can explain in each direction. One direction does not excuse the
        loss of another."""
        sure = (
            max(0.0, one.balance.lost + self._wanted(one) - one.balance.offered - (one.most_by_preemption or 0.0))
            for one in self.trial.channels.values()
        )
        return min(1.0, sum(sure) / self.wanted) if self.wanted > 0 else 0.0

    def is_disturbed_for(self, goal: Goal) -> bool:
        """True if the trial fails the goal only by loss that preemption can explain."""
        return self.sure_loss_ratio <= goal.loss_ratio < self.loss_ratio

    @property
    def dut_loss_ratio(self) -> float:
        """Share of the offered packets that the DUT lost."""
        balance = self.trial.balance
        return min(1.0, balance.lost_by_dut / balance.offered) if balance.offered > 0 else 0.0

    @property
    def received_pps(self) -> float:
        """All directions together."""
        return sum(one.received_pps for one in self.trial.channels.values())

    @property
    def offered_pps(self) -> float:
        return sum(one.offered_pps for one in self.trial.channels.values())
