"""The decision whether the tester, not the DUT, was the limit of a direction."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.results.balance import total
from wirespeed.results.lossy import lossy_index
from wirespeed.results.machine import MARGIN
from wirespeed.results.point import Point

MOST = 0.5
UNSENT_SHARE = 0.05
UNSENT_SAMPLES = 5
"""Shortfall of the last samples from which on a server without a count of unsent packets is taken for the limit."""


def share_of_tester(stretch: Sequence[Point]) -> float:
    """The tester's own part, 0 to 1, of all that was wanted in `stretch` and did not come back."""
    return total(point.balance for point in stretch).share_of_tester


def tester_was_limit(measured: Sequence[Point], threshold: float, complete: bool = True) -> bool:
    """True if the tester caused most of the shortfall, from the load on at which more than `threshold` of the intended
    load is missing persistently; also if the tester clearly sent less than intended.

    Samples whose shortfall preemption explains say nothing about the tester, unless it persists: a tester that is
    always preempted is the limit."""
    present = [point for point in measured if not _was_preempted(point)]
    return (
        _fell_short(present, threshold, complete)
        or _fell_short(measured, max(threshold, UNSENT_SHARE), complete)
        or sent_too_little(measured)
    )


def _fell_short(counted: Sequence[Point], threshold: float, complete: bool) -> bool:
    """True if more than `threshold` of the intended load is missing persistently, mostly because of the tester."""
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


def held_too_little(held: Sequence[Point]) -> bool:
    """True if the tester sent less than a load in the mean of its samples, whatever kept it from sending: the figure of
    that load is no more than what it offered."""
    balance = total(point.balance for point in held)
    return balance.unoffered > UNSENT_SHARE * (balance.offered + balance.unoffered) and balance.share_of_tester > MOST


def sent_too_little(measured: Sequence[Point]) -> bool:
    """True if a server that does not count unsent packets fell short of the last intended loads."""
    last = measured[-UNSENT_SAMPLES:]
    intended = [point.balance.intended for point in last if point.balance.intended is not None]
    if not last or len(intended) < len(last):
        return False
    balances = [point.balance for point in last]
    accounted = sum(one.sent + one.refused + one.no_buffer + one.late for one in balances)
    return accounted < (1 - UNSENT_SHARE) * sum(intended)


def _was_preempted(point: Point) -> bool:
    """True if preemption explains the whole shortfall of this sample."""
    balance = point.balance
    if not point.preempted_share or balance.unoffered <= 0 or balance.lost > balance.unoffered:
        return False
    return balance.unoffered <= MARGIN * point.preempted_share * (balance.offered + balance.unoffered)
