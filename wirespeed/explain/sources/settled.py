"""A test by its end: what samples lacked and came in after the drain was under way, or held by somebody; not lost."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.results.analysis import Analysis, Curve
from wirespeed.results.point import Point


def settled(analysis: Analysis) -> Analysis:
    """The same, with no more lost by its samples than was in the end (docs/measurement.md): where they lack more, each
    gives back its share of the rest."""
    return replace(analysis, curves=tuple(_settled(curve) for curve in analysis.curves))


def _settled(curve: Curve) -> Curve:
    seen = sum(point.balance.lost for point in curve.points)
    if not seen or not curve.outcome.balance.offered:
        return curve
    part = min(1.0, curve.outcome.balance.lost / seen)
    return curve if part == 1 else replace(curve, points=tuple(_with(point, part) for point in curve.points))


def _with(point: Point, part: float) -> Point:
    """`point` with that part of its loss."""
    came = (1 - part) * point.balance.lost
    if not came:
        return point
    balance = replace(point.balance, received=point.balance.received + came)
    pps = came / point.interval_s if point.interval_s > 0 else 0.0
    return replace(point, balance=balance, received_pps=point.received_pps + pps, loss_ratio=balance.loss_ratio)
