"""The plan of a search, as a value, and its checks. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.measurement.search.result import SearchSettings
from wirespeed.results.search_trial import Goal
from wirespeed.trial.controller import repeats_for
from wirespeed.trial.directions import check_directions
from wirespeed.trial.plan import RepeatingPlan
from wirespeed.units import Rate, parse_duration, parse_rate

LATENCY_SHARES = (0.0, 0.1, 0.5, 0.9)
"""Shares of PDR, as in CSIT; at 0 only the latency streams are sent."""

MOST_LATENCY_PPS = 100_000.0


@dataclass(frozen=True)
class MrrPlan:
    """Maximum receive rate: number and duration of trials at the highest load."""

    count: int = 10
    duration_s: float = 1.0


@dataclass(frozen=True)
class LatencyPlan:
    """Latency after the search: a stream of `rate_pps` per direction in addition to shares of the load found, each for
    `duration_s`."""

    rate_pps: float = 9000.0
    duration_s: float = 5.0
    shares: tuple[float, ...] = LATENCY_SHARES


@dataclass(frozen=True)
class SearchPlan(RepeatingPlan):
    """One search. Without `goals` nothing is searched for, and MRR alone is measured. `least` and `most` are loads of
    each direction, `most` the whole line unless given; `limit_s` is the time the search may take."""

    goals: tuple[Goal, ...] = ()
    preset: str = "csit"
    least: Rate = Rate(9001.0, "pps")  # noqa: RUF009 - frozen
    most: Rate = Rate(100.0, "percentage")  # noqa: RUF009 - frozen
    warmup_s: float = 1.0
    limit_s: float = 1200.0
    mrr: MrrPlan | None = None
    latency: LatencyPlan | None = None

    @property
    def repeats(self) -> int:
        """The number of trials of one load that may be repeated."""
        return repeats_for(self.goals) if self.is_robust else 0

    @property
    def notes(self) -> tuple[str, ...]:
        return super().notes if self.goals else ()

    def variables(self, server: str) -> SearchSettings:
        return SearchSettings(
            **self.settings_head(server),
            unidirectional=self.unidirectional,
            preset=self.preset,
            min=str(self.least),
            max=str(self.most),
            time=self.limit_s,
            warmup_duration=self.warmup_s,
            robust=self.repeats > 0 or None,
        )


def check_plan(plan: SearchPlan) -> None:
    """UsageError when the plan cannot be run on any line."""
    if not (math.isfinite(plan.limit_s) and plan.limit_s > 0):
        raise UsageError(f"time limit {plan.limit_s:g} is not a duration: give seconds above 0")
    if plan.mrr is not None and not (plan.mrr.count >= 1 and plan.mrr.duration_s > 0):
        raise UsageError(f"MRR of {plan.mrr.count} trials of {plan.mrr.duration_s:g} s: give at least one, above 0 s")
    if plan.latency is not None and not 0 < plan.latency.rate_pps <= MOST_LATENCY_PPS:
        raise UsageError(f"latency stream of {plan.latency.rate_pps:g} pps: give more than 0, up to 100kpps")
    if plan.latency is not None and not (math.isfinite(plan.latency.duration_s) and plan.latency.duration_s > 0):
        raise UsageError(f"latency trials of {plan.latency.duration_s:g} s: give seconds above 0")
    if not plan.goals and plan.mrr is None:
        raise UsageError("nothing to search for: give --goal or --mrr")
    for what, load in (("--min", plan.least), ("--max", plan.most)):
        if load.unit == "percentage" and load.value > 100:
            raise UsageError(f"{what} {load} is above line rate: give at most 100%")
    check_directions(plan.directions, plan.signature)


def parse_mrr(text: str) -> MrrPlan:
    """`10x1`: trials and the seconds of each."""
    count, by, seconds = text.lower().partition("x")
    try:
        if not by or not count.isascii() or not count.isdigit():
            raise ValueError
        return MrrPlan(int(count), parse_duration(seconds))
    except (ValueError, UsageError):
        raise UsageError(f"MRR {text!r} cannot be read: give trials and seconds, such as 10x1") from None


def parse_latency(text: str) -> LatencyPlan:
    """`9kpps` or `9kpps,5`: the rate of the stream, and the seconds of each trial."""
    stream, comma, seconds = text.partition(",")
    rate = parse_rate(stream)
    if rate.unit != "pps":
        raise UsageError(f"latency stream of {stream}: give packets per second, such as 9kpps")
    try:
        plan = LatencyPlan(rate.value, parse_duration(seconds)) if comma else LatencyPlan(rate.value)
    except UsageError:
        raise UsageError(f"latency trials of {seconds!r}: give seconds, such as 9kpps,5") from None
    return plan
