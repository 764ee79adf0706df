"""The verdict on a search. Pure."""

from __future__ import annotations

from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.verdicts import (
    LIMITED_BY,
    counting_of_trials,
    figure_of_bounds,
    limit_of_bound,
    verdict_of_trials,
)
from wirespeed.results.search_trial import GoalOutcome
from wirespeed.results.verdict import Figure, Limit, Named, Verdict


def goal_figure(result: SearchResult, outcome: GoalOutcome) -> Figure:
    """The load of one goal, with its bounds."""
    sizes = [result.frame_bytes[wire.tx] for wire in result.directions if wire.tx in result.frame_bytes]
    upper = None if outcome.is_at_least else outcome.upper_pps
    return figure_of_bounds(
        outcome.goal.name.upper(),
        [str(wire) for wire in result.directions],
        outcome.lower_pps,
        upper,
        LIMITED_BY[outcome.limit],
        outcome.irregular,
        loss_ratio=outcome.goal.loss_ratio,
        line_percent=None if outcome.lower_pps is None else result.line_percent(outcome.lower_pps),
        frame_bytes=sum(sizes) / len(sizes) if sizes else None,
    )


def goal_limit(result: SearchResult, outcome: GoalOutcome, verdict: Verdict) -> Limit:
    """The limit of one goal: that of the verdict, unless another limit than that of the first goal ended its trials."""
    return verdict.limit if outcome.limit == result.goals[0].limit else limit_of_bound(outcome.limit, None)


def verdict_of(result: SearchResult, named: Named) -> Verdict:
    """The load of each goal."""
    figures = tuple(goal_figure(result, one) for one in result.goals)
    limit = limit_of_bound(result.goals[0].limit if result.goals else "none", named.get(""))
    return verdict_of_trials(result, figures, limit, counting_of_trials(result))
