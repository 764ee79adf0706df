"""The case of a search: the trials that set the upper bound of its strictest goal, or the highest load it tried."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.cases.facts import Case
from wirespeed.cases.trials import TrialsOfLoad, case_of
from wirespeed.measurement.search.result import SearchResult
from wirespeed.results.search_trial import SearchTrial


def cases_of(search: SearchResult, source: str) -> tuple[Case, ...]:
    """() of a search without a trial that counts."""
    trials = [trial for trial in search.of("search") if not trial.excluded]
    if not trials:
        return ()
    bounds = [goal.upper_pps for goal in search.goals if goal.upper_pps is not None]
    what = "of the load that set the bound" if bounds else "of the highest load"
    return (case_of(TrialsOfLoad.of(search, source), _chosen(bounds, trials), trials, what),)


def _chosen(bounds: Sequence[float], trials: Sequence[SearchTrial]) -> list[SearchTrial]:
    load = min(bounds) if bounds else max(trial.load_pps for trial in trials)
    return [trial for trial in trials if trial.load_pps == load] or list(trials[-1:])
