"""Source checks: unicast reverse path forwarding (RFC 3704).

- The checks are features of the arcs `ip4-unicast` and `ip6-unicast`, before ACLs. `ip4-rx-urpf-loose`,
  `ip4-rx-urpf-strict` and the nodes for `ip6` look up the source in the table of the receiving interface, or in
  `table`. Each node counts `uRPF Drop`, as VPP's node of that name.
- `strict` needs one path of the source's route to lead back by the interface, also one with labels. `loose` needs any
  forwarding route, including the default route. Routes that drop, refuse or lead to the router itself do not count.
- IPv6 from link-local addresses and from the unspecified address passes, since neighbour discovery uses them. Without a
  mode on an interface the nodes are not in the graph.
- `tx` is for ports, bonds and their sub-interfaces. `<if>-tx-urpf` and `bond-tx-urpf` check what is routed out of them,
  in the table of that interface. `loose` needs any route to the source. `strict`, as in VPP, also drops a packet if a
  path of its source's route leads out of the interface by which it would leave. The router's own packets pass. Drops
  count as `ip4 uRPF Drop` and `ip6 uRPF Drop`. VXLAN tunnels and loopbacks are refused.
- Up to 256 prefixes may be accepted. A source within one passes with any routes. In VPP an accepted prefix is a
  dropping route, which a longer one hides.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.features.urpf.core import Urpf, UrpfAccepted, UrpfMode
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("set urpf (ip4|ip6) (rx|tx) (off|loose|strict) <interface> [table <number:vrf>]")
def set_urpf(console: Console, words: Match) -> None:
    """Accept (rx) or send (tx) only packets whose source has any route (loose), or one on that side (strict)."""
    mode = next(mode for mode in UrpfMode if mode.name.lower() in words)
    urpf = Urpf(mode, words.get("vrf"))
    console.core.urpf.set(words["interface"], 4 if "ip4" in words else 6, urpf, "tx" in words)


@command("set urpf-accept [table <number:vrf>] [add|del] <prefix> [add|del]")
def set_urpf_accept(console: Console, words: Match) -> None:
    """Accept sources in loose mode, independent of routes."""
    accepted = UrpfAccepted(words["prefix"].network, words.get("vrf", 0))
    console.core.urpf.accept(accepted, "del" not in words)


@command("show urpf [<interface>]")
def show_urpf(console: Console, words: Match) -> Iterator[str]:
    """Source checks of the interfaces."""
    core = console.core
    for index in console.interfaces(words.all("interface")):
        lines = list(_lines(console, index))
        if lines:
            yield core.interface(index).name
            yield from lines


def _lines(console: Console, index: int) -> Iterator[str]:
    for version in (4, 6):
        for side in ("rx", "tx"):
            urpf = console.core.urpf.of(index, version, side == "tx")
            table = "" if urpf.table is None else f" table {urpf.table}"
            if urpf.mode:
                yield f"  ip{version} {side} {urpf.mode.name.lower()}{table}"


@command("show urpf-accept")
def show_urpf_accept(console: Console, words: Match) -> Iterator[str]:
    """Prefixes accepted in loose mode."""
    accepted = console.core.urpf.accepted()
    for one in sorted(accepted, key=lambda a: (a.prefix.version, a.table, int(a.prefix.network_address))):
        yield f"table {one.table} {one.prefix}"
