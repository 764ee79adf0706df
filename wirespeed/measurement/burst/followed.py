"""A burst test followed: a frame a burst."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.followed import Frame, Summary, summary_of_trials, trial_frame


def frames_of(result: BurstResult) -> Iterator[Frame]:
    """The frames of a whole result, or of what there is of one."""
    for one in result.trials:
        yield trial_frame(one.judged, one.judged.label)


def summary_of(result: BurstResult) -> Summary:
    """The sums of all bursts."""
    return summary_of_trials("burst", [one.trial for one in result.trials])
