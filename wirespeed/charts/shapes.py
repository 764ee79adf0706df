"""Shapes of marks, drawn alike by pages and picture files: polygons and strokes within a circle of radius 1, y down."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Literal

Symbol = Literal[
    "dot",
    "circle",
    "square",
    "triangle",
    "triangle-down",
    "plus",
    "star",
    "triangle-left",
    "triangle-right",
    "bowtie",
    "hourglass",
    "slab",
    "post",
    "diamond",
    "cross",
    "bar",
]
"""A dot is smaller than a circle; `cross` and `bar` are strokes."""

Points = tuple[tuple[float, float], ...]

_STAR = tuple(
    (round(radius * math.sin(turn), 3), round(-radius * math.cos(turn), 3))
    for number in range(10)
    for radius, turn in ((0.55 if number % 2 else 1.4, number * math.pi / 5),)
)
POLYGONS: Mapping[str, Points] = {
    "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "triangle": ((0, -1.2), (1.15, 0.9), (-1.15, 0.9)),
    "triangle-down": ((0, 1.2), (1.15, -0.9), (-1.15, -0.9)),
    "plus": (
        *((-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4)),
        *((0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4)),
    ),
    "star": _STAR,
    "triangle-left": ((-1.2, 0), (0.9, 1.15), (0.9, -1.15)),
    "triangle-right": ((1.2, 0), (-0.9, 1.15), (-0.9, -1.15)),
    "bowtie": ((-1.2, -0.9), (1.2, 0.9), (1.2, -0.9), (-1.2, 0.9)),
    "hourglass": ((-0.9, -1.2), (0.9, -1.2), (-0.9, 1.2), (0.9, 1.2)),
    "slab": ((-1.4, -0.55), (1.4, -0.55), (1.4, 0.55), (-1.4, 0.55)),
    "post": ((-0.55, -1.4), (0.55, -1.4), (0.55, 1.4), (-0.55, 1.4)),
    "diamond": ((0, -1.5), (1.5, 0), (0, 1.5), (-1.5, 0)),
}
STROKES: Mapping[str, tuple[Points, ...]] = {
    "cross": (((-1, -1), (1, 1)), ((-1, 1), (1, -1))),
    "bar": (((-1, 0), (1, 0)),),
}


def script() -> str:
    """The shapes as the page's script takes them."""
    return f"const SHAPES = {json.dumps({'polygons': POLYGONS, 'strokes': STROKES}, separators=(',', ':'))};"


def path_of(symbol: Symbol, radius: float) -> str:
    """An SVG path around 0, 0."""
    if symbol in ("dot", "circle"):
        half = f"a{radius:g} {radius:g} 0 1 0"
        return f"M{-radius:g} 0{half} {2 * radius:g} 0{half} {-2 * radius:g} 0z"
    parts = STROKES.get(symbol) or (POLYGONS[symbol],)
    ending = "" if symbol in STROKES else "z"
    return "".join(f"M{'L'.join(f'{radius * x:g} {radius * y:g}' for x, y in points)}{ending}" for points in parts)
