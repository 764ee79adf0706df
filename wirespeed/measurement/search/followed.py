"""A search followed: a frame a trial."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.measurement.followed import Frame, Summary, summary_of_trials, trial_frame
from wirespeed.measurement.search.result import SearchResult


def frames_of(result: SearchResult) -> Iterator[Frame]:
    """The frames of a whole result, or of what there is of one."""
    for one in result.trials:
        yield trial_frame(one, one.label or one.purpose)


def summary_of(result: SearchResult) -> Summary:
    """The sums of all trials."""
    return summary_of_trials("search", [one.trial for one in result.trials])
