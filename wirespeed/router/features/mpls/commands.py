"""mpls table|local-label, set interface mpls, show mpls fib|interface: labels and where they lead."""

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
    """Make the table of labels, which takes 8 MB."""
    check_table(words["id"])
    console.core.mpls.add_table()


@command("mpls table del <number:id>")
def delete_table(console: Console, words: Match) -> None:
    """Delete the table of labels, once nothing needs it."""
    check_table(words["id"])
    console.core.mpls.delete_table()


def check_table(ident: int) -> None:
    """UsageError unless it is the one table that there is."""
    if ident:
        raise UsageError(f"there is no MPLS table {ident}; the only one is 0")


@command("set interface mpls <interface> (enable|disable)")
def set_mpls(console: Console, words: Match) -> None:
    """Take labelled packets from an interface, or not."""
    console.core.mpls.enable(words["interface"], "enable" in words)


@command(f"mpls local-label add {_LABEL} {PATHS}")
def add_label(console: Console, words: Match) -> None:
    """Send packets with a label on: with out-labels in its place, or without it. eos: it ends the stack."""
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
                f"label {pushed[-1][0]} takes another's place, and keeps its TTL and class; "
                "pipe, ttl and exp are for labels in front of it"
            )


@command(f"mpls local-label del {_LABEL} [{PATHS}]")
def delete_label(console: Console, words: Match) -> None:
    """Delete the route of a label, or the paths of it that are named."""
    delete_paths(console.core, words["local"], "non-eos" not in words, read_paths(words))


def delete_paths(core: NativeRouter, label: int, bottom: bool, paths: Sequence[Path]) -> None:
    """Take these paths from a label; without any, or with the last of them, its route goes."""
    present = core.mpls.route(label, bottom)
    if paths and present is not None:
        kept = tuple(path for path in present.paths if not any(same_path(path, given) for given in paths))
        if len(kept) == len(present.paths):
            raise UsageError(f"label {label} has no such path")
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
        raise UsageError("the paths of a label lead to IPv4 and IPv6; what is behind it must be one of them")
    return versions.pop() if versions else 4


@command("show mpls fib [<label:local>]")
def show_fib(console: Console, words: Match) -> Iterator[str]:
    """The labels that have routes and where each leads."""
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
    """The interfaces that take labelled packets."""
    for index in console.interfaces(words.all("interface")):
        face = console.core.interface(index)
        if face.mpls:
            yield f" {face.name:<24} mpls enabled"
