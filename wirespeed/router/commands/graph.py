"""show vlib graph, show features: which node leads to which, and what may be put between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import command
from wirespeed.router.core import NodeEdge
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_COLUMN = 26


@command("show vlib graph [<node>]")
def show_graph(console: Console, words: Match) -> Iterator[str]:
    """The nodes, where each may send packets on to, and where those come from."""
    edges = console.core.node_edges(0)
    after: defaultdict[str, list[NodeEdge]] = defaultdict(list)
    before: defaultdict[str, list[str]] = defaultdict(list)
    for edge in edges:
        after[edge.node].append(edge)
        before[edge.next].append(edge.node)
    yield "".join(centre(head, _COLUMN) for head in ("Name", "Next", "Previous"))
    if "node" in dict(words.values):
        yield from _rows(words["node"], after[words["node"]], before[words["node"]])
        return
    for name in sorted({*after, *before}):
        yield from _rows(name, after[name], before[name])
        yield ""


def _rows(name: str, after: list[NodeEdge], before: list[str]) -> Iterator[str]:
    """The name stands in the first row only."""
    if not after and not before:
        yield f"{name:<{_COLUMN}}"
    for position, (edge, previous) in enumerate(zip_longest(after, before)):
        first = name if not position else ""
        following = f"{edge.next} [{edge.slot}]" if edge else ""
        yield f"{first:<{_COLUMN}}{centre(following, _COLUMN)}" + (centre(previous, _COLUMN) if previous else "")


@command("show features")
def show_features(console: Console, words: Match) -> Iterator[str]:
    """The arcs, and the features of each in the order that packets meet them in."""
    yield "Available feature paths"
    for arc, features in groupby(console.core.features(), key=lambda feature: feature.arc):
        yield ""
        yield f"{arc}:"
        names = [feature.node.replace("%", "<interface>") for feature in features if feature.node]
        yield from (f"  {name}" for name in names or ["none there"])
