"""A ramp as small as a word: what came back over what was offered, as the path of a picture."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.measurement.loadtest.analysis import Curve

WIDTH, HEIGHT = 60, 18
_INSIDE = 1.5
_MOST_POINTS = 24


def sparkline(curve: Curve) -> str:
    """An SVG path in a box of WIDTH by HEIGHT pixels, both axes from 0 to the highest load offered; empty where there
    are not two loads."""
    points = sorted((point.offered_pps, point.received_pps) for point in curve.measured if point.phase == "ramp")
    if len(points) < 2 or points[-1][0] <= 0:
        return ""
    most = points[-1][0]
    return "M" + "L".join(f"{_across(x / most)} {_down(y / most)}" for x, y in _thinned(points))


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) <= _MOST_POINTS:
        return list(points)
    last = len(points) - 1
    return [points[round(number * last / (_MOST_POINTS - 1))] for number in range(_MOST_POINTS)]


def _across(share: float) -> str:
    return f"{_INSIDE + share * (WIDTH - 2 * _INSIDE):.1f}"


def _down(share: float) -> str:
    return f"{HEIGHT - _INSIDE - min(1.0, share) * (HEIGHT - 2 * _INSIDE):.1f}"
