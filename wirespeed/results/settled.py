"""A test by its end: what samples lacked and came in after the drain was under way, or held by somebody; not lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirespeed.results.balance import Balance
from wirespeed.results.point import Point


def settled_points(points: Sequence[Point], balance: Balance | None) -> tuple[Point, ...]:
    """The points, with at most as many lost packets in all as in `balance`, which is that of the whole test
    (docs/measurement.md). If the points lost more, each one's loss is reduced in proportion."""
    seen = sum(point.balance.lost for point in points)
    if not seen or balance is None or not balance.offered:
        return tuple(points)
    part = min(1.0, balance.lost / seen)
    return tuple(points) if part == 1 else tuple(_with(point, part) for point in points)


def _with(point: Point, part: float) -> Point:
    """`point` with that part of its loss."""
    came = (1 - part) * point.balance.lost
    if not came:
        return point
    balance = replace(point.balance, received=point.balance.received + came)
    pps = came / point.interval_s if point.interval_s > 0 else 0.0
    received_pps = point.received_pps + pps
    percent = point.offered_line_percent
    if percent is not None and point.offered_pps > 0:
        percent *= received_pps / point.offered_pps
    return replace(
        point,
        balance=balance,
        received_pps=received_pps,
        loss_ratio=balance.loss_ratio,
        line_percent=point.line_percent if percent is None else percent,
    )
