"""The colours of curves: Okabe and Ito's, which are told apart with any eyes, in both themes and on paper."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from wirespeed.results.node_classes import NodeClass

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9")
SPARE = ("#8c6bb1", "#8a8a2b", "#b0447a", "#44aa99", "#a0522d", "#6b7fa3")
"""For a seventh device and the next ones: seen in both themes, not told apart with every kind of eyes."""
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
    while others are free. More names than colours get spare ones."""
    found: dict[str, str] = {}
    for name in sorted(set(names)):
        wanted = int.from_bytes(hashlib.sha256(name.encode(errors="surrogatepass")).digest()[:4], "big")
        turned = [each[(wanted + step) % len(each)] for each in (COLOURS, SPARE) for step in range(len(each))]
        found[name] = next((one for one in turned if one not in found.values()), turned[0])
    return found
