"""The colours of curves: Okabe and Ito's, which are told apart with any eyes, in both themes and on paper."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from wirespeed.charts.shapes import Symbol
from wirespeed.results.node_classes import NodeClass

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
SPARE = ("#8c6bb1", "#8a8a2b", "#b0447a", "#44aa99", "#a0522d", "#6b7fa3")
"""For a seventh device and the next ones: seen in both themes, not told apart with every kind of eyes."""
AGAIN = tuple(f"{colour[:-1]}{int(colour[-1], 16) ^ 1:x}" for colour in (*SPARE, *COLOURS))
"""For a thirteenth and the next ones: the same to the eye, with other marks."""
_SHAPES: tuple[Symbol, ...] = (
    *("circle", "square", "triangle", "triangle-down", "plus", "star"),
    *("triangle-left", "triangle-right", "bowtie", "hourglass", "slab", "post"),
)
MARKS: Mapping[str, Symbol] = dict(zip((*COLOURS, *SPARE, *AGAIN), _SHAPES * 2, strict=True))
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
    """A colour for each name, by the name alone. Where several want the same one, the first by alphabet has it and the
    others take what nobody wants; no other name has another colour than on a page of its own. More names than colours
    get spare ones."""
    wanted = {name: _wanted(name) for name in sorted(set(names))}
    found: dict[str, str] = {}
    for name, turned in wanted.items():
        if turned[0] not in found.values():
            found[name] = turned[0]
    for name, turned in wanted.items():
        if name not in found:
            found[name] = next((one for one in turned if one not in found.values()), turned[0])
    return found


def _wanted(name: str) -> list[str]:
    """All colours, those first that the name would have."""
    number = int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:4], "big")
    return [each[(number + step) % len(each)] for each in (COLOURS, SPARE, AGAIN) for step in range(len(each))]
