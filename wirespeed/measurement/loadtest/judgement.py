"""The judgement of a whole test, per direction, from its samples and by the settings of the test."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel
from wirespeed.results.ending import COMPLETE
from wirespeed.results.judge import judge
from wirespeed.results.outcome import ChannelOutcome
from wirespeed.results.point import Point, points
from wirespeed.results.skew import allow_for_skew


def verdict(
    result: Result,
    points: Sequence[Point],
    balance: Balance | None = None,
    *,
    line_bps: float | None,
    threshold: float | None = None,
    exclude_disturbed: bool | None = None,
    complete: bool | None = None,
) -> ChannelOutcome:
    """`judge` of one direction of `result`, or of its sum, whose points are given: by what the test was run with and
    how it ended, where nothing else is given."""
    if exclude_disturbed is None:
        exclude_disturbed = excludes_disturbed(result)
    return judge(
        points,
        threshold=result.outcome.threshold if threshold is None else threshold,
        line_bps=line_bps,
        balance=balance,
        exclude_disturbed=exclude_disturbed,
        complete=result.ending.status == COMPLETE if complete is None else complete,
    )


def points_of(
    result: Result, channel: Channel, line_bps: float | None, balance: Balance | None = None
) -> tuple[Point, ...]:
    """The points of all samples of `channel`, with the losses that are certain despite the skew of the tester's
    counters. `balance` is that of the whole test after the drain. Rates of other programs are kept as they are."""
    found = points(result.samples, channel, result.medium(channel.tx), line_bps, smoothed=not result.native)
    return allow_for_skew(result.samples, found, channel, balance) if result.native else found


def excludes_disturbed(result: Result) -> bool:
    """True if the test was run so that disturbed samples do not count."""
    return not result.variables.include_disturbed
