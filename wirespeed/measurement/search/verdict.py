"""The verdict on a search. Pure."""

from __future__ import annotations

from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.verdicts import counting_of_trials, goal_figure, limit_of_bound, verdict_of_trials
from wirespeed.results.verdict import Limit, Verdict


def verdict_of(result: SearchResult, found: Limit | None = None) -> Verdict:
    """The load of each goal; `found` is what `explain` names as the limit."""
    figures = tuple(goal_figure(result, one) for one in result.goals)
    limit = limit_of_bound(result.goals[0].limit if result.goals else "none", found)
    return verdict_of_trials(result, figures, limit, counting_of_trials(result, [one.trial for one in result.trials]))
