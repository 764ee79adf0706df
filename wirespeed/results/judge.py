"""Judgement of one direction by its samples: forwarded load, rate at full load, loss onset, saturation, and whether the
tester was the limit. Pure; used by the report, the live view and the test itself."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from wirespeed.results.balance import Balance, total
from wirespeed.results.knee import corner
from wirespeed.results.load_figures import Chosen, forwarded_samples, full_load_samples, mean_load
from wirespeed.results.lossy import lossy_index
from wirespeed.results.machine import explained
from wirespeed.results.outcome import ChannelOutcome, Knee, LoadPoint
from wirespeed.results.point import Point, rounded_bytes
from wirespeed.results.settled import settled_points
from wirespeed.results.tester import MOST, held_too_little, share_of_tester, tester_was_limit

NEAR_KNEE = 1.25


def judge(
    points: Sequence[Point],
    *,
    threshold: float,
    line_bps: float | None,
    balance: Balance | None = None,
    exclude_disturbed: bool = True,
    complete: bool = True,
) -> ChannelOutcome:
    """The outcome of one direction from its points, in time order.

    `threshold` is the loss ratio above which a sample fails. `balance` is that of the whole test after the drain, where
    one was made: a direction that lost nothing in the end has lost nothing on the way. With `complete` false more
    samples may follow.
    """
    measured = [point for point in points if point.measured]
    disturbed = disturbed_times(measured, threshold, exclude_disturbed)
    counted = [point for point in measured if point.t_s not in disturbed]
    first = lossy_index(
        [point.offered_pps for point in counted], [point.loss_ratio for point in counted], threshold, complete
    )
    if first is not None and balance is not None and _made_up(balance, counted[first:], threshold):
        first = None
    knee = _knee(measured, balance, exclude_disturbed)
    limited = tester_was_limit(measured, threshold, complete)
    if knee is not None:
        near = [point for point in counted if knee.offered_pps < point.offered_pps <= NEAR_KNEE * knee.offered_pps]
        limited = share_of_tester(near) > MOST
    loss_onset = None if first is None else _sample_load(counted[first])
    ended = settled_points(points, balance)
    disturbed = disturbed_times(ended, threshold, exclude_disturbed)
    onset_s = loss_onset.t_s if loss_onset else None
    forwarded = forwarded_samples(ended, threshold, disturbed=disturbed, loss_onset_s=onset_s)
    full_load = full_load_samples(ended, disturbed=disturbed, complete=complete)
    if knee is None and full_load is not None:
        limited |= held_too_little([ended[place] for place in full_load.places])

    def mean(chosen: Chosen | None) -> LoadPoint | None:
        return None if chosen is None else mean_load(ended, chosen, balance)

    return ChannelOutcome(
        balance=balance or total(point.balance for point in points),
        frame_bytes=_mean_frame(measured, "frame_bytes", "offered_pps"),
        received_frame_bytes=_mean_frame(measured, "received_frame_bytes", "received_pps"),
        line_bps=line_bps,
        full_load=mean(full_load),
        forwarded=mean(forwarded),
        loss_onset=loss_onset,
        saturation=None if limited else knee,
        tester_limited=limited,
        disturbed_samples=len(disturbed_times(ended, threshold)),
    )


def disturbed_times(points: Sequence[Point], threshold: float, exclude_disturbed: bool = True) -> frozenset[float]:
    """End times of the measured samples whose loss above the threshold the host caused. A sample below the threshold
    has passed, even if the host preempted workers."""
    return frozenset(
        point.t_s
        for point in points
        if exclude_disturbed and point.measured and point.disturbed and point.loss_ratio > threshold
    )


def _sample_load(point: Point) -> LoadPoint:
    return LoadPoint(
        point.t_s,
        point.offered_pps,
        point.received_pps,
        point.offered_line_percent,
        point.line_percent,
        loss_ratio=point.loss_ratio,
    )


def _made_up(balance: Balance, stretch: Sequence[Point], threshold: float) -> bool:
    """True if fewer packets were missing at the end than `stretch` lost above the threshold: they were in flight, or
    delayed."""
    return balance.lost <= threshold * fsum(point.balance.offered for point in stretch)


def _knee(measured: Sequence[Point], balance: Balance | None, exclude_disturbed: bool) -> Knee | None:
    """The load above which the packets that the DUT returned no longer follow those offered, whatever the tester's
    receiver dropped.

    Disturbed samples do not prove a limit, but they keep their place: without them there would be a gap of loads in
    which the knee could hide. Samples without a link are excluded."""
    counted = [point for point in measured if not (exclude_disturbed and point.disturbed) or _of_preemption(point)]
    knee = corner(
        [point.offered_pps for point in counted],
        [point.returned_pps for point in counted],
        [not (exclude_disturbed and point.disturbed) for point in counted],
    )
    if knee is None:
        return None
    lost = fsum(point.balance.lost for point in counted if point.offered_pps > knee.at)
    if balance is not None and balance.lost < lost / 2:
        return None
    with_percent = [point for point in counted if point.offered_line_percent is not None]
    pps = fsum(point.offered_pps for point in with_percent)
    percent = fsum(point.offered_line_percent or 0.0 for point in with_percent)
    return Knee(knee.at, knee.low, knee.high, knee.plateau, knee.at * percent / pps if pps > 0 else None)


def _of_preemption(point: Point) -> bool:
    return bool(point.preempted_share) and explained(point.loss_ratio, point.preempted_share or 0.0)


def _mean_frame(measured: Sequence[Point], length: str, rate: str) -> float | None:
    known = [(getattr(point, length), getattr(point, rate) * point.interval_s) for point in measured]
    weighed = [(size, packets) for size, packets in known if size is not None and packets > 0]
    packets = fsum(count for _, count in weighed)
    return rounded_bytes(fsum(size * count for size, count in weighed) / packets) if packets > 0 else None
