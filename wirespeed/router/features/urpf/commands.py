"""set urpf, set urpf-accept, show urpf: packets whose source is not where they came from."""

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
    """Take (rx) or send (tx) only packets whose source has a route: any (loose), or one of that side (strict)."""
    mode = next(mode for mode in UrpfMode if mode.name.lower() in words)
    urpf = Urpf(mode, words.get("vrf"))
    console.core.urpf.set(words["interface"], 4 if "ip4" in words else 6, urpf, "tx" in words)


@command("set urpf-accept [table <number:vrf>] [add|del] <prefix> [add|del]")
def set_urpf_accept(console: Console, words: Match) -> None:
    """Let sources pass where the mode is loose, whatever routes there are."""
    accepted = UrpfAccepted(words["prefix"].network, words.get("vrf", 0))
    console.core.urpf.accept(accepted, "del" not in words)


@command("show urpf [<interface>]")
def show_urpf(console: Console, words: Match) -> Iterator[str]:
    """Which interfaces look where packets' sources are."""
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
    """The sources that pass where the mode is loose."""
    accepted = console.core.urpf.accepted()
    for one in sorted(accepted, key=lambda a: (a.prefix.version, a.table, int(a.prefix.network_address))):
        yield f"table {one.table} {one.prefix}"
