"""The colours of curves: Okabe and Ito's, which are told apart with any eyes, in both themes and on paper."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from wirespeed.results.node_classes import NodeClass

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
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
"""The same colours as `part-*` of page.css."""


def colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def colours_by_name(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name. A name keeps its colour whatever names stand beside it, unless two want the same one
    while others are free."""
    found: dict[str, int] = {}
    for name in sorted(set(names)):
        wanted = int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:4], "big")
        places = [(wanted + step) % len(COLOURS) for step in range(len(COLOURS))]
        found[name] = next((place for place in places if place not in found.values()), places[0])
    return {name: COLOURS[place] for name, place in found.items()}
