"""Tests of RFC 2544 followed: a frame a trial."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.measurement.followed import Frame, Summary, summary_of_trials, trial_frame
from wirespeed.measurement.rfc2544.result import Rfc2544Result


def frames_of(result: Rfc2544Result) -> Iterator[Frame]:
    """The frames of a whole result, or of what there is of one."""
    for one in result.trials:
        yield trial_frame(one.judged, f"{one.test} {one.frame}")


def summary_of(result: Rfc2544Result) -> Summary:
    """The sums of all trials."""
    return summary_of_trials("rfc2544", [one.trial for one in result.trials])
