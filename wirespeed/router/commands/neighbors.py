"""ip neighbor, show ip neighbors: which Ethernet address answers for which IP address."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.columns import centre
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.routes import NeighborState

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_FLAGS = {
    NeighborState.STATIC: "S",
    NeighborState.REACHABLE: "D",
    NeighborState.STALE: "DS",
    NeighborState.PROBE: "DP",
    NeighborState.INCOMPLETE: "I",
}


@command(
    "[set] ip neighbor [add] [static] <interface> <address> <mac> [static] [no-fib-entry]",
    "set interface ip neighbor <interface> <address> <mac>",
)
def add_neighbor(console: Console, words: Match) -> None:
    """Name the Ethernet address of a neighbor, so that it is not asked for."""
    console.core.add_neighbor(words["interface"], words["address"], words["mac"])


@command("[set] ip neighbor del <interface> <address> [<mac>]")
def delete_neighbor(console: Console, words: Match) -> None:
    """Forget a neighbor, static or learned."""
    console.core.delete_neighbor(words["interface"], words["address"])


@command("show (ip|ip4|ip6) neighbor-config")
def show_limits(console: Console, words: Match) -> Iterator[str]:
    """How long neighbors are believed, how many there may be, and what became of those beyond that."""
    core, counters = console.core, console.core.neighbor_counters()
    for version in (4, 6):
        if "ip" in words or f"ip{version}" in words:
            yield f"ip{version}:"
            announced = ", announce:on" if core.ip6.is_announcing(version) else ""
            yield (
                f"  limit:{counters.most_learnt}, interface-limit:{counters.most_of_interface}, "
                f"age:{core.ip6.reachable_time(version)}, recycle:1{announced}"
            )
    yield f"both: {counters.used} of {counters.most} entries, {counters.learnt} of them learned"
    yield (
        f"  recycled:{counters.recycled}, refused for the interface:{counters.refused_interface}, "
        f"refused for the table:{counters.refused_table}, unanswered:{counters.unanswered}"
    )


@command("show (ip|ip4|ip6) neighbor-hold")
def show_held(console: Console, words: Match) -> Iterator[str]:
    """Packets that wait until the Ethernet address of their next hop is known."""
    widths = (("Waiting", 12), ("IP", 40), ("Packets", 8), ("Thread", 8), ("Interface", 24))
    yield "".join(centre(head, width) for head, width in widths)
    for held in console.core.held_packets():
        if "ip" in words or ("ip6" in words) == (held.next_hop.version == 6):
            yield (
                f"{held.waiting_s:>12.4f}{centre(held.next_hop, 40)}{centre(held.packets, 8)}"
                f"{centre(held.worker + 1, 8)}{console.core.interface(held.interface).name}"
            )


@command("show (ip|ip4|ip6) (neighbor|neighbors) [<interface>]")
def show_neighbors(console: Console, words: Match) -> Iterator[str]:
    """Known neighbors: S static, D learned, DS silent for some time, DP asked whether it is there, I not known yet."""
    widths = (("Age", 12), ("IP", 40), ("Flags", 6), ("Ethernet", 20), ("Interface", 24))
    yield "".join(centre(head, width) for head, width in widths)
    wanted = console.interfaces(words.all("interface"))
    for neighbor in sorted(console.core.neighbors(), key=lambda n: (n.interface, n.address.version, n.address)):
        if neighbor.interface in wanted and ("ip" in words or ("ip6" in words) == (neighbor.address.version == 6)):
            mac = "-" if neighbor.state is NeighborState.INCOMPLETE else neighbor.mac
            yield (
                f"{neighbor.age_s:>12.4f}{centre(neighbor.address, 40)}{centre(_FLAGS[neighbor.state], 6)}"
                f"{centre(mac, 20)}{console.core.interface(neighbor.interface).name}"
            )
