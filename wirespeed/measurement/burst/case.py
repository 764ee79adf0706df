"""The case of a burst test for `explain`: the bursts that set the length, otherwise the longest."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.cases.trials import TrialsOfLoad, case_of
from wirespeed.measurement.burst.result import BurstResult


def cases_of(result: BurstResult, source: str) -> tuple[Case, ...]:
    """Empty for a test without a burst."""
    if result.is_empty:
        return ()
    longest = max(one.frames for one in result.trials)
    chosen = result.lossy_trials or tuple(one for one in result.trials if one.frames == longest)
    what = "of the shortest burst that lost frames" if result.lossy_trials else "of the longest burst"
    return (
        case_of(
            TrialsOfLoad.of(result, source), [one.judged for one in chosen], [one.judged for one in result.trials], what
        ),
    )
