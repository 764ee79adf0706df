"""The case of a search: the trials that set the upper bound of its strictest goal, or the highest load it tried. If
the host is why there is no bound: the trials that it disturbed."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.cases.facts import Case
from wirespeed.cases.trials import TrialsOfLoad, case_of, disturbed_load
from wirespeed.measurement.search.result import SearchResult
from wirespeed.results.search_trial import BoundLimit, GoalOutcome, SearchTrial


def cases_of(search: SearchResult, source: str) -> tuple[Case, ...]:
    """() of a search without a trial that counts."""
    tried = search.of("search")
    trials = [trial for trial in tried if not trial.excluded]
    if not trials:
        return ()
    chosen, what, limit = _chosen(search.goals, tried, trials)
    return (case_of(TrialsOfLoad.of(search, source), chosen, trials, what, limit),)


def _chosen(
    goals: Sequence[GoalOutcome], tried: Sequence[SearchTrial], trials: Sequence[SearchTrial]
) -> tuple[list[SearchTrial], str, BoundLimit]:
    """Trials of one load, which load it is, and why it was refused. `trials` are those of `tried` that count."""
    if goals and goals[0].limit == "host" and goals[0].upper_pps is None:
        disturbed = disturbed_load(tried, goals[0].goal, goals[0].lower_pps)
        if disturbed:
            return disturbed, "of the lowest load that the host disturbed", "host"
    bounds = [(goal.upper_pps, goal.limit) for goal in goals if goal.upper_pps is not None]
    if bounds:
        load, limit = min(bounds, key=lambda bound: bound[0])
        what = "of the load that set the bound"
    else:
        load, limit, what = max(trial.load_pps for trial in trials), "none", "of the highest load"
    same = [trial for trial in trials if trial.load_pps == load]
    return (same, what, limit) if same else ([trials[-1]], what, "none")
