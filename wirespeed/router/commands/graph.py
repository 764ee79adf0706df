"""Graph: nodes, their edges, and the features of each arc.

- There are no function variants, and edges count no vectors.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.graph import NodeEdge

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_COLUMN = 26


@command("show vlib graph [<node>]")
def show_graph(console: Console, words: Match) -> Iterator[str]:
    """Nodes with their next and previous nodes."""
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


@command("show node <node>", "show node index <number>")
def show_node(console: Console, words: Match) -> Iterator[str]:
    """One node by name or index: its kind, state, next and previous nodes."""
    names = console.node_names()
    index = names.index(words["node"]) if words.get("node") else words["number"]
    if index >= len(names):
        raise UsageError(f"there is no node with index {index}; give 0 to {len(names) - 1}")
    name, edges = names[index], console.core.node_edges(0)
    node = next(node for node in console.core.node_stats(0) if node.name == name)
    state = "active" if not node.polling else "interrupt wait" if node.asleep else "polling"
    yield f"node {name}, type {'input' if node.polling else 'internal'}, state {state}, index {index}"
    yield ""
    yield "  next nodes:"
    yield "    next-index  node-index               Node"
    for edge in edges:
        if edge.node == name:
            yield f"    {edge.slot:^10}  {names.index(edge.next):^10}  {edge.next:>22}"
    yield ""
    yield "  known previous nodes:"
    previous = sorted({edge.node for edge in edges if edge.next == name})
    yield from (f"    {before} ({names.index(before)})" for before in previous)


@command("show features")
def show_features(console: Console, words: Match) -> Iterator[str]:
    """Arcs and their features, in order of processing."""
    yield "Available feature paths"
    for arc, features in groupby(console.core.features(), key=lambda feature: feature.arc):
        yield ""
        yield f"{arc}:"
        names = [feature.node.replace("%", "<interface>") for feature in features if feature.node]
        yield from (f"  {name}" for name in names or ["none there"])
