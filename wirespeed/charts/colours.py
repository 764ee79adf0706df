"""The colours of curves: Okabe and Ito's, which are told apart with any eyes, in both themes and on paper."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from wirespeed.charts.shapes import Symbol
from wirespeed.results.node_classes import NodeClass

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
SPARE = ("#5b63c4", "#9a7d1a", "#6aa32f", "#a0522d", "#a8487f", "#3f8ba3")
THIRD = ("#86a6dc", "#c99a5b", "#5cb896", "#ef8a66", "#8561ad", "#7fb3bd")
"""By the colours above: for a second and a third device of the same hue. Seen in both themes, not told apart with every
kind of eyes."""
HUES = tuple(zip(COLOURS, SPARE, THIRD, strict=True))
AGAIN = tuple(f"{colour[:-1]}{int(colour[-1], 16) ^ 1:x}" for colour in COLOURS)
"""For a nineteenth device and the next ones: the same to the eye, with other marks."""
_SHAPES: tuple[Symbol, ...] = (
    *("circle", "square", "triangle", "triangle-down", "plus", "star"),
    *("triangle-left", "triangle-right", "bowtie", "hourglass", "slab", "post"),
)
_TURNED = (*_SHAPES[3:], *_SHAPES[:3])
MARKS: Mapping[str, Symbol] = dict(zip((*COLOURS, *SPARE, *THIRD, *AGAIN), (*_SHAPES, *_TURNED), strict=True))
"""By colour: what tells curves apart where there are no colours."""
REFERENCE = "#7d8590"
ALARM = "#d3302f"
NODE_COLOURS: Mapping[NodeClass, str] = {
    "input": COLOURS[0],
    "lookup": COLOURS[1],
    "rewrite": COLOURS[2],
    "output": COLOURS[4],
    "tx": COLOURS[5],
    "other": COLOURS[3],
}
"""Colours, as `part-*` of page.css."""


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def colours_by_name(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name. The hue depends on the name alone, so it is the same on all pages. If several names share
    a hue, they get its shades in alphabetical order. Further names get unused colours."""
    wanted = {name: _wanted(name) for name in sorted(set(names))}
    colours: dict[str, str] = {}
    for most in (len(HUES[0]), None):
        for name in (name for name in wanted if name not in colours):
            free = (one for one in wanted[name][:most] if one not in colours.values())
            if (chosen := next(free, None if most else wanted[name][0])) is not None:
                colours[name] = chosen
    return colours


def _wanted(name: str) -> list[str]:
    """All colours, those of the hue of the name first."""
    number = int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:4], "big")
    turned = [(number + step) % len(HUES) for step in range(len(HUES))]
    return [*(shade for hue in turned for shade in HUES[hue]), *(AGAIN[hue] for hue in turned)]
