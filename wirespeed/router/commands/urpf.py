"""set urpf, show urpf: packets whose source is not where they came from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.router.urpf_core import UrpfMode

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("set urpf (ip4|ip6) rx (off|loose|strict) <interface>")
def set_urpf(console: Console, words: Match) -> None:
    """Take only packets that a route leads back from: by any interface (loose) or by this one (strict)."""
    mode = next(mode for mode in UrpfMode if mode.name.lower() in words)
    console.core.set_urpf(words["interface"], 4 if "ip4" in words else 6, mode)


@command("show urpf [<interface>]")
def show_urpf(console: Console, words: Match) -> Iterator[str]:
    """Which interfaces look where packets' sources are."""
    core = console.core
    for index in console.interfaces(words.all("interface")):
        modes = {version: core.urpf(index, version) for version in (4, 6)}
        if any(modes.values()):
            yield core.interface(index).name
            yield from (f"  ip{version} rx {mode.name.lower()}" for version, mode in modes.items() if mode)
