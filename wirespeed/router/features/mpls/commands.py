"""MPLS: labels and their next hops.

- Labels have one table, 0. Without `eos` or `non-eos` a local label ends the stack. Explicit null (0 and 2) is popped;
  implicit null (3) as an out-label means no label.
- **TTL and EXP** follow the uniform model of RFC 3443. The TTL is copied from IP into pushed labels, and from a label
  into what is below it, minus one per hop. EXP is kept by a swap, and is the IP precedence on a push.
- `pipe`, `ttl N` (1 to 255, default 255) or `exp N` (0 to 7, default 0) after an out-label select the pipe model with
  these values; `uniform` is the default. VPP has them in its API only, and its command line makes pipes. The last
  out-label of a local label replaces it and continues its TTL, so it is always uniform. A popped label can lower the
  TTL of what is below it, never raise it.
- **Too long.** An IPv4 packet too long for the next link with its labels is fragmented first, and each fragment gets
  the labels. With DF it is answered with ICMP fragmentation needed, an IPv6 packet with packet too big. The MTU given
  is what the labels leave.
- **TTL expired.** The router answers time exceeded from the receiving interface's address, with the received stack (RFC
  4884, RFC 4950). A labelled packet too long for its next link is answered the same way. Such answers are routed in the
  table of the receiving interface, not along the label path, and share the rate limit of ICMP errors.
- There is no answer for stacks of more than 16 labels, for non-IP payload, and for labelled IPv4 that is too long and
  may be fragmented. `mpls-icmp-error` counts all of them.
- Packet counts are in `show mpls fib` while routes count. Not supported: `mpls-lookup-in-table` except 0, multicast,
  `mpls tunnel`, `set interface mpls … tunnel`, `show mpls tunnel`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.path_words import PATHS, merge_paths, read_paths, same_path
from wirespeed.router.commands.registry import command
from wirespeed.router.features.mpls.core import MplsRoute
from wirespeed.router.forwarding_words import Forwarding
from wirespeed.router.grammar import Match
from wirespeed.seam.routes import Path

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.native import NativeRouter

_IMPLICIT_NULL = 3
_LABEL = "[eos|non-eos] <label:local> [eos|non-eos]"


@command("mpls table [add] <number:id>")
def add_table(console: Console, words: Match) -> None:
    """Create the label table, which needs 8 MB."""
    check_table(words["id"])
    console.core.mpls.add_table()


@command("mpls table del <number:id>")
def delete_table(console: Console, words: Match) -> None:
    """Delete the label table, if nothing needs it."""
    check_table(words["id"])
    console.core.mpls.delete_table()


def check_table(ident: int) -> None:
    """UsageError unless it is the one table that there is."""
    if ident:
        raise UsageError(f"there is no MPLS table {ident}; the only one is 0")


@command("set interface mpls <interface> (enable|disable)")
def set_mpls(console: Console, words: Match) -> None:
    """Accept labelled packets on an interface, or not."""
    console.core.mpls.enable(words["interface"], "enable" in words)


@command(f"mpls local-label add {_LABEL} {PATHS}")
def add_label(console: Console, words: Match) -> None:
    """Add a route of a label: swap it for out-labels, or pop it. eos: only at the end of the stack, non-eos: only
    above."""
    label, bottom, paths = words["local"], "non-eos" not in words, read_paths(words)
    payload = _payload(words, paths) if bottom else 0
    add_paths(console.core, MplsRoute(label, bottom, payload, tuple(paths)))


def add_paths(core: NativeRouter, route: MplsRoute) -> None:
    """Give a label these paths besides those that it has."""
    present = core.mpls.route(route.label, route.bottom)
    if present is not None and present.is_static:
        if present.payload != route.payload:
            raise UsageError(f"label {route.label} carries IPv{present.payload} already; delete its route first")
        route = replace(route, paths=merge_paths(present.paths, route.paths))
    set_route(core, route)


def set_route(core: NativeRouter, route: MplsRoute) -> None:
    """Give a label these paths alone."""
    _check_swaps(route.paths)
    core.mpls.set_route(route)


def _check_swaps(paths: Sequence[Path]) -> None:
    """The last out-label takes the place of the one that came: its TTL must count on, or loops never end."""
    for path in paths:
        pushed = [pair for pair in zip(path.labels, path.pipes, strict=False) if pair[0] != _IMPLICIT_NULL]
        if pushed and pushed[-1][1] is not None:
            raise UsageError(
                f"label {pushed[-1][0]} replaces the received label and keeps its TTL and class; "
                "pipe, ttl and exp are for the labels pushed above it"
            )


@command(f"mpls local-label del {_LABEL} [{PATHS}]")
def delete_label(console: Console, words: Match) -> None:
    """Delete the route of a label, or the given paths."""
    delete_paths(console.core, words["local"], "non-eos" not in words, read_paths(words))


def delete_paths(core: NativeRouter, label: int, bottom: bool, paths: Sequence[Path]) -> None:
    """Take these paths from a label; without any, or with the last of them, its route goes."""
    present = core.mpls.route(label, bottom)
    if paths and present is not None:
        kept = tuple(path for path in present.paths if not any(same_path(path, given) for given in paths))
        if len(kept) == len(present.paths):
            raise UsageError(f"label {label} has no such path; show mpls fib {label} lists its paths")
        if kept:
            core.mpls.set_route(MplsRoute(label, bottom, present.payload, kept))
            return
    core.mpls.delete_route(label, bottom)


def _payload(words: Match, paths: list[Path]) -> int:
    """The IP version behind the label: of the table that it leads to, or of the next hop."""
    versions = {path.next_hop.version for path in paths if path.next_hop is not None}
    if "ip6-lookup-in-table" in words:
        versions.add(6)
    elif "ip4-lookup-in-table" in words:
        versions.add(4)
    if len(versions) > 1:
        raise UsageError("the paths of a label lead to IPv4 and IPv6; give paths of one family")
    return versions.pop() if versions else 4


@command("show mpls fib [<label:local>]")
def show_fib(console: Console, words: Match) -> Iterator[str]:
    """Labels with their routes."""
    yield "MPLS-VRF:0, fib_index:0 locks:[interface:1, CLI:1, ]"
    forwarding = Forwarding(console)
    for index, route in enumerate(console.core.mpls.routes()):
        if route.label != words.get("local", route.label):
            continue
        yield f"{_name(route.label)}:{'eos' if route.bottom else 'neos'}/21 fib:0 index:{index} locks:2"
        yield f"  {'CLI' if route.is_static else 'special'} refs:1 src-flags:added,contributing,active,"
        yield "  forwarding:   mpls-eos-chain" if route.bottom else "  forwarding:   mpls-neos-chain"
        yield from forwarding.mpls_lines(route, index)


def _name(label: int) -> str:
    names = {0: "ip4-explicit-null", 1: "router-alert", 2: "ip6-explicit-null"}
    return names.get(label, str(label))


@command("show mpls interface [<interface>...]")
def show_interface(console: Console, words: Match) -> Iterator[str]:
    """Interfaces that accept labelled packets."""
    for index in console.interfaces(words.all("interface")):
        face = console.core.interface(index)
        if face.mpls:
            yield f" {face.name:<24} mpls enabled"
