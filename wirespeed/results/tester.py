"""Whether the tester was the limit of a direction, and not the DUT."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.results.balance import total
from wirespeed.results.lossy import lossy_index
from wirespeed.results.machine import MARGIN
from wirespeed.results.point import Point

MOST = 0.5
UNSENT_SHARE = 0.05
UNSENT_SAMPLES = 5
"""A server that does not count what it could not send is taken for the limit when its last samples fall this short."""


def share_of_tester(stretch: Sequence[Point]) -> float:
    """The tester's own part, 0 to 1, of all that was wanted in `stretch` and did not come back."""
    return total(point.balance for point in stretch).share_of_tester


def tester_was_limit(measured: Sequence[Point], threshold: float, complete: bool = True) -> bool:
    """Whether most of the shortfall is the tester's, from the load on from which more than `threshold` of what was
    wanted persistently did not come back; or whether it plainly sent less than it was asked for.

    Samples whose shortfall the absence of a worker explains say nothing of what the tester can do, unless it lasts: a
    tester that never has its CPU is the limit as well.
    """
    present = [point for point in measured if not _was_preempted(point)]
    return (
        _fell_short(present, threshold, complete)
        or _fell_short(measured, max(threshold, UNSENT_SHARE), complete)
        or sent_too_little(measured)
    )


def _fell_short(counted: Sequence[Point], threshold: float, complete: bool) -> bool:
    """Whether more than `threshold` of what was wanted is missing persistently, and most of it is the tester's."""
    wanted = [point.balance.offered + point.balance.unoffered for point in counted]
    short = [
        point.balance.shortfall / packets if packets > 0 else 0.0
        for point, packets in zip(counted, wanted, strict=True)
    ]
    rates = [
        packets / point.interval_s if point.interval_s > 0 else 0.0
        for point, packets in zip(counted, wanted, strict=True)
    ]
    first = lossy_index(rates, short, threshold, complete)
    return first is not None and share_of_tester(counted[first:]) > MOST


def sent_too_little(measured: Sequence[Point]) -> bool:
    """Whether a server that keeps no account of unsent packets fell short of the last loads it was asked for."""
    last = measured[-UNSENT_SAMPLES:]
    intended = [point.balance.intended for point in last if point.balance.intended is not None]
    if not last or len(intended) < len(last):
        return False
    balances = [point.balance for point in last]
    accounted = sum(one.sent + one.refused + one.no_buffer + one.late for one in balances)
    return accounted < (1 - UNSENT_SHARE) * sum(intended)


def _was_preempted(point: Point) -> bool:
    """Whether the tester's shortfall of this sample is small enough to be an absence, and all there is to it."""
    balance = point.balance
    if not point.preempted_share or balance.unoffered <= 0 or balance.lost > balance.unoffered:
        return False
    return balance.unoffered <= MARGIN * point.preempted_share * (balance.offered + balance.unoffered)
