"""What the samples of one direction say of the DUT: its maximum, the load it held, where loss sets in, where it
saturates, and whether the tester was the limit. Pure; the report, the live view and the test itself all ask here."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from math import fsum

from wirespeed.results.balance import Balance, total
from wirespeed.results.knee import corner
from wirespeed.results.lossy import lossy_index
from wirespeed.results.machine import explained
from wirespeed.results.outcome import ChannelOutcome, Knee, LoadPoint
from wirespeed.results.point import Point
from wirespeed.results.tester import MOST, share_of_tester, tester_was_limit

SECOND = 0.999
"""Samples are a little shorter than what was asked for as often as they are longer."""

NEAR_KNEE = 1.25


def judge(
    points: Sequence[Point],
    *,
    threshold: float,
    line_bps: float | None,
    balance: Balance | None = None,
    leave_out_spoilt: bool = True,
    complete: bool = True,
    smoothed: bool = False,
) -> ChannelOutcome:
    """The outcome of one direction from its points, in time order.

    `threshold` is the loss ratio above which a sample fails. `balance` is that of the whole test after the drain, where
    one was made: a direction that lost nothing in the end has lost nothing on the way. With `complete` false more
    samples may follow. `smoothed` keeps the rates of other programs as they are, above the line too.
    """
    measured = [point for point in points if point.measured]
    # A sample that passed although the machine was in the way has passed.
    spoilt = {point.t_s for point in measured if point.spoilt and point.loss_ratio > threshold}
    counted = [point for point in measured if not (leave_out_spoilt and point.t_s in spoilt)]
    maximum = _maximum(measured, complete, smoothed)
    first = lossy_index(
        [point.offered_pps for point in counted], [point.loss_ratio for point in counted], threshold, complete
    )
    if first is not None and balance is not None and _made_up(balance, counted[first:], threshold):
        first = None
    knee = _knee(measured, balance, leave_out_spoilt)
    limited = tester_was_limit(measured, threshold, complete)
    if knee is not None:
        near = [point for point in counted if knee.offered_pps < point.offered_pps <= NEAR_KNEE * knee.offered_pps]
        limited = share_of_tester(near) > MOST
    return ChannelOutcome(
        balance=balance or total(point.balance for point in points),
        frame_bytes=_mean_frame(measured, "frame_bytes", "offered_pps"),
        received_frame_bytes=_mean_frame(measured, "received_frame_bytes", "received_pps"),
        line_bps=line_bps,
        maximum=maximum,
        held=_held(counted if first is None else counted[:first], threshold, maximum, smoothed),
        lossy_from=None if first is None else _load_point([counted[first]], smoothed),
        saturated=None if limited else knee,
        tester_limited=limited,
        spoilt_samples=len(spoilt),
    )


def _maximum(measured: Sequence[Point], complete: bool, smoothed: bool) -> LoadPoint | None:
    """The most received over a second on end; over a whole phase where that is shorter."""
    windows = [window for stretch in _stretches(measured) for window in _seconds(stretch)]
    if complete or not windows:
        phases = [list(phase) for _, phase in groupby(measured, key=lambda point: point.phase)]
        windows += [phase for phase in phases if _duration(phase) < SECOND]
    loads = [_load_point(window, smoothed) for window in windows]
    return max(loads, key=lambda load: load.received_pps, default=None)


def _stretches(measured: Sequence[Point]) -> list[list[Point]]:
    """Measured samples that follow each other without a gap."""
    found: list[list[Point]] = []
    for point in measured:
        if found and point.t_s - point.interval_s <= found[-1][-1].t_s + 0.5 * point.interval_s:
            found[-1].append(point)
        else:
            found.append([point])
    return found


def _seconds(stretch: Sequence[Point]) -> list[Sequence[Point]]:
    """From each sample on, the shortest window of at least a second."""
    windows = []
    end, duration = 0, 0.0
    for start, point in enumerate(stretch):
        while end < len(stretch) and duration < SECOND:
            duration += stretch[end].interval_s
            end += 1
        if duration < SECOND:
            break
        windows.append(stretch[start:end])
        duration -= point.interval_s
    return windows


def _load_point(window: Sequence[Point], smoothed: bool) -> LoadPoint:
    """The mean load of a window. What was received ends at the whole line: a rate above it comes of a clock, of samples
    that made up for lost time, or of a line that the DUT does not have."""

    def mean(attribute: str) -> float | None:
        values = [getattr(point, attribute) for point in window]
        if any(value is None for value in values):
            return None
        return fsum(value * point.interval_s for value, point in zip(values, window, strict=True)) / _duration(window)

    percent = mean("line_percent")
    if percent is not None and not smoothed:
        percent = min(percent, 100.0 * window[-1].lines)
    return LoadPoint(
        window[-1].t_s, mean("offered_pps") or 0.0, mean("received_pps") or 0.0, mean("offered_line_percent"), percent
    )


def _held(passing: Sequence[Point], threshold: float, maximum: LoadPoint | None, smoothed: bool) -> LoadPoint | None:
    """The highest load of a sample within the threshold; one that was not kept up for a second is not held."""
    good = [point for point in passing if point.loss_ratio <= threshold and point.received_pps > 0]
    if maximum is None or not good:
        return None
    kept = [point for point in good if point.received_pps <= maximum.received_pps * (1 + 1e-9)]
    if not kept:
        return maximum
    return _load_point([max(kept, key=lambda point: point.received_pps)], smoothed)


def _made_up(balance: Balance, stretch: Sequence[Point], threshold: float) -> bool:
    """Whether too little was missing in the end for `stretch` to have lost more than the threshold: its packets were
    under way, or held by somebody, and came later."""
    return balance.lost <= threshold * fsum(point.balance.offered for point in stretch)


def _knee(measured: Sequence[Point], balance: Balance | None, leave_out_spoilt: bool) -> Knee | None:
    """Where what the DUT returned stops following what it was offered, whatever the tester's receiver missed.

    Samples that an absence spoilt prove no limit, but they keep their place: without them, a gap of loads would be left
    in which the knee could hide. Those without a link say nothing at all.
    """
    counted = [point for point in measured if not (leave_out_spoilt and point.spoilt) or _of_absence(point)]
    found = corner(
        [point.offered_pps for point in counted],
        [point.returned_pps for point in counted],
        [not (leave_out_spoilt and point.spoilt) for point in counted],
    )
    if found is None:
        return None
    lost = fsum(point.balance.lost for point in counted if point.offered_pps > found.at)
    if balance is not None and balance.lost < lost / 2:
        return None
    with_percent = [point for point in counted if point.offered_line_percent is not None]
    pps = fsum(point.offered_pps for point in with_percent)
    percent = fsum(point.offered_line_percent or 0.0 for point in with_percent)
    return Knee(found.at, found.low, found.high, found.plateau, found.at * percent / pps if pps > 0 else None)


def _of_absence(point: Point) -> bool:
    return bool(point.away_share) and explained(point.loss_ratio, point.away_share or 0.0)


def _mean_frame(measured: Sequence[Point], length: str, rate: str) -> float | None:
    known = [(getattr(point, length), getattr(point, rate) * point.interval_s) for point in measured]
    weighed = [(size, packets) for size, packets in known if size is not None and packets > 0]
    packets = fsum(count for _, count in weighed)
    return fsum(size * count for size, count in weighed) / packets if packets > 0 else None


def _duration(window: Sequence[Point]) -> float:
    return fsum(point.interval_s for point in window)
