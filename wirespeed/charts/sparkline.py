"""A curve as small as a word, as the path of a picture."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH, HEIGHT = 60, 18
"""Pixels."""
_INSIDE = 1.5
_MOST_POINTS = 24


def path_of(points: Sequence[tuple[float, float]], most: float = 0.0) -> str:
    """An SVG path in a box of WIDTH by HEIGHT pixels through `points` in order of x, both axes from 0; y goes to
    `most`, or to its highest value. Empty where there are not two points or nothing above 0."""
    top = most or max((y for _, y in points), default=0.0)
    if len(points) < 2 or points[-1][0] <= 0 or top <= 0:
        return ""
    end = points[-1][0]
    return "M" + "L".join(f"{_across(x / end)} {_down(y / top)}" for x, y in _thinned(points))


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    if len(points) <= _MOST_POINTS:
        return list(points)
    last = len(points) - 1
    return [points[round(number * last / (_MOST_POINTS - 1))] for number in range(_MOST_POINTS)]


def _across(share: float) -> str:
    return f"{_INSIDE + share * (WIDTH - 2 * _INSIDE):.1f}"


def _down(share: float) -> str:
    return f"{HEIGHT - _INSIDE - min(1.0, share) * (HEIGHT - 2 * _INSIDE):.1f}"
