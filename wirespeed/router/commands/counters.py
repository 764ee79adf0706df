"""route counters, adjacency counters, show adj: what routes and next hops forward, counted when it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.counting import Adjacency, Counting

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("route counters (enable|disable)")
def set_route_counters(console: Console, words: Match) -> None:
    """Count packets and bytes of each route, from 0 on; show ip fib has them."""
    console.core.counting.set(Counting.ROUTES, "enable" in words)


@command("adjacency counters (enable|disable)")
def set_adjacency_counters(console: Console, words: Match) -> None:
    """Count packets and bytes of each next hop, from 0 on; show adj has them."""
    console.core.counting.set(Counting.ADJACENCIES, "enable" in words)


@command("show adj [nbr] [<interface>]")
def show_adjacencies(console: Console, words: Match) -> Iterator[str]:
    """Next hops, with the header of what is sent there and, if they count, packets and bytes."""
    counting = Counting.ADJACENCIES in console.core.counting.on()
    wanted = set(words.all("interface"))
    for adjacency in console.core.counting.adjacencies():
        if not wanted or adjacency.interface in wanted:
            counts = f" {_counts(adjacency)}" if counting else ""
            yield f"[@{adjacency.index}]  {_words(console, adjacency)}{counts}"


@command("show adj [nbr] <number:index>")
def show_adjacency(console: Console, words: Match) -> Iterator[str]:
    """One next hop by its number."""
    for adjacency in console.core.counting.adjacencies():
        if adjacency.index == words["index"]:
            yield f"[@{adjacency.index}]  {_words(console, adjacency)}"
            yield f"   {_counts(adjacency)}"
            return
    raise UsageError(f"there is no adjacency {words['index']}; show adj lists them")


@command("show adj summary")
def show_summary(console: Console, words: Match) -> Iterator[str]:
    """How many next hops there are, and whether they count."""
    yield f"Number of adjacencies: {len(console.core.counting.adjacencies())}"
    yield f"Per-adjacency counters: {'enabled' if Counting.ADJACENCIES in console.core.counting.on() else 'disabled'}"


def _words(console: Console, adjacency: Adjacency) -> str:
    link = adjacency.link.replace("ip", "ipv")
    name = console.core.interface(adjacency.interface).name
    if adjacency.rewrite is None:
        return f"arp-{link}: via {adjacency.next_hop} {name}"
    return f"{link} via {adjacency.next_hop} {name}: mtu:{adjacency.mtu} flags:[] {adjacency.rewrite.hex()}"


def _counts(adjacency: Adjacency) -> str:
    return f"counts:[{adjacency.counts.packets}:{adjacency.counts.bytes}]"
