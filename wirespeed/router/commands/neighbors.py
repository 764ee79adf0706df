"""Neighbours: the MAC addresses of next hops.

- **Ageing.** A neighbour of either family counts as reachable for 30 s after it was heard (`set ip neighbor-config
  ip4|ip6 age SECONDS`, 0: forever). It is stale for 5 s, then queried up to three times, one second apart, then
  removed. A neighbour that has not yet answered a query of the router is queried after 5 s in any state. An unsolicited
  advertisement creates no neighbour, and packets to unknown hosts of a subnet take no place in the table.
- **Table.** It holds 16 384 neighbours (`--max-neighbors N`, `neighbors { max N }`). One eighth is reserved for static
  ones and next hops of routes. One interface may learn half (`--max-interface-neighbors N`, `max-interface N`), so a
  flood on one link leaves room for others.
- At a limit, the oldest neighbour of the interface that never answered is replaced, at most 500 per second. If the
  whole table is full, it is one of the fullest interface. Neighbours that answered stay; if there are only such, the
  new one is refused. `show ip neighbor-config` prints limits, use, and how many were replaced, refused or did not
  answer. Both families share one table; VPP's `limit` and `recycle` are not supported.
- **Queries.** Unknown hosts of a connected subnet are queried once per second each. One sender (an IPv4 address, an
  IPv6 /64) gets 256 queries at once and then 64 per second, so a scan delays nobody else.
- **Held packets.** Packets whose next hop is unresolved wait, the first four per next hop, as copies in the router's
  own buffers. The counters are `packets held …` of `ip4-arp`, `ip6-glean` and `ip6-discover-neighbor`. Each worker has
  a table of 128 next hops; on a collision the later one's packets do not wait. Further packets are dropped (`…
  throttled`). The query is repeated after one and two seconds.
- After the answer they are sent in order, before later packets (`held packets sent to their next hop`, of
  `recirculate`). Workers pause for some microseconds when a neighbour becomes known while packets are held. After three
  seconds they are counted (`held packets whose next hop did not answer`), and their senders get ICMP host (IPv6:
  address) unreachable, within the rate limit.
- Packets of a next hop without routes, or of a deleted interface, are dropped at once. Labelled packets do not wait. If
  a packet itself became the query, its copy counts as `made`. Held packets are in no sum of sent and dropped packets;
  `show ip neighbor-hold` lists them. None of this runs while all next hops are known.
- `show ip6 neighbors` has the flags `DS` (silent for some time) and `DP` (queried) in addition to VPP's. `show ip
  neighbor-hold` is an extension.
"""

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
    """Add a static neighbour."""
    console.core.add_neighbor(words["interface"], words["address"], words["mac"])


@command("[set] ip neighbor del <interface> <address> [<mac>]")
def delete_neighbor(console: Console, words: Match) -> None:
    """Delete a neighbour, static or learned."""
    console.core.delete_neighbor(words["interface"], words["address"])


@command("show (ip|ip4|ip6) neighbor-config")
def show_limits(console: Console, words: Match) -> Iterator[str]:
    """Ages, limits and use of the neighbour table, and replaced or refused neighbours."""
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
    """Packets that wait for the MAC address of their next hop."""
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
    """Neighbours: S static, D learned, DS silent, DP queried, I incomplete."""
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
