"""Counters of routes and next hops: packets and bytes, off by default.

- `statseg { per-route-counters on per-adjacency-counters on }` in startup.conf does the same. Counters start at 0, also
  of later routes and next hops. A replaced route, and a next hop with a new MAC address, continue counting.
- `to` counts packets whose longest match was the prefix, in any table. `via` counts packets of other routes that found
  their next hop by it, and of all routes on the way to it that have a single path. Bytes start at the IP header (of a
  label, at the label); of next hops they are frame bytes.
- The statistics segment has them per worker as VPP's has. Its index is that of `show ip fib` and of the API's
  `stats_index`.
- `statseg` also has `socket-name FILE` and `per-node-counters off` (default: on; VPP: off), which hides
  `/sys/node/` and `/nodes/`. `update-interval` (1 s; VPP: 10 s) is that of the counters that the main thread writes.
- `size` limits the segment. A router that needs more prints the size that it needs and does not start.
- Off, they cost nothing: other nodes replace the forwarding nodes only when they are on. On, each route takes its own
  place in the table of load balances, and a change of a next hop shared by many routes is propagated to each of them.
- VPP's routes always count; `route counters` is an extension. `show adj` has next hops only, no glean, and counts also
  in the list.
"""

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
    """Count packets and bytes of each route, from 0; show ip fib prints them."""
    console.core.counting.set(Counting.ROUTES, "enable" in words)


@command("adjacency counters (enable|disable)")
def set_adjacency_counters(console: Console, words: Match) -> None:
    """Count packets and bytes of each next hop, from 0; show adj prints them."""
    console.core.counting.set(Counting.ADJACENCIES, "enable" in words)


@command("show adj [nbr] [<interface>]")
def show_adjacencies(console: Console, words: Match) -> Iterator[str]:
    """Next hops with their rewrite header and, while they count, packets and bytes."""
    counting = Counting.ADJACENCIES in console.core.counting.on()
    wanted = set(words.all("interface"))
    for adjacency in console.core.counting.adjacencies():
        if not wanted or adjacency.interface in wanted:
            counts = f" {_counts(adjacency)}" if counting else ""
            yield f"[@{adjacency.index}]  {_words(console, adjacency)}{counts}"


@command("show adj [nbr] <number:index>")
def show_adjacency(console: Console, words: Match) -> Iterator[str]:
    """One next hop by its index."""
    for adjacency in console.core.counting.adjacencies():
        if adjacency.index == words["index"]:
            yield f"[@{adjacency.index}]  {_words(console, adjacency)}"
            yield f"   {_counts(adjacency)}"
            return
    raise UsageError(f"there is no adjacency {words['index']}; show adj lists them")


@command("show adj summary")
def show_summary(console: Console, words: Match) -> Iterator[str]:
    """Number of next hops, and whether they count."""
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
