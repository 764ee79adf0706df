"""MLRsearch's package: its configuration, and trials as it asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from MLRsearch import AbstractMeasurer, Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal

from wirespeed.results.search_trial import Goal, SearchTrial

_ENDLESS_S = 1e9


def search_for(goals: Iterable[Goal], least_pps: float, most_pps: float, warmup_s: float) -> MultipleLossRatioSearch:
    """A search for these goals between two loads (packets per second of each direction)."""
    config = Config()
    config.goals = [package_goal(goal) for goal in goals]
    config.min_load = min(least_pps, config.min_load)  # each is checked against the other as it is set
    config.max_load = most_pps
    config.min_load = least_pps
    config.search_duration_max = _ENDLESS_S
    config.warmup_duration = warmup_s or None
    return MultipleLossRatioSearch(config)


class Measurer(AbstractMeasurer):  # type: ignore[misc] # the package has no types
    """`take` holds a load (packets per second of each direction) for a time in seconds."""

    def __init__(self, take: Callable[[float, float], SearchTrial]) -> None:
        self._take = take

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        trial = self._take(intended_load, intended_duration)
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


def package_goal(goal: Goal) -> SearchGoal:
    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        relative_width=goal.width,
        initial_trial_duration=goal.initial_s,
        final_trial_duration=goal.final_s,
        duration_sum=goal.sum_s,
        fail_fast=False,
    )
