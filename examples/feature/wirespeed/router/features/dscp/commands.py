"""set dscp, show dscp: packets counted by their DSCP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console
    from wirespeed.router.features.dscp.native import DscpCore


def _core(console: Console) -> DscpCore:
    dscp: DscpCore = cast("Any", console.core).dscp
    return dscp


@command("set dscp counting (on|off) <interface>")
def set_counting(console: Console, words: Match) -> None:
    """Count IPv4 packets that the interface receives by their DSCP."""
    _core(console).set(words["interface"], "on" in words)


@command("show dscp")
def show_counts(console: Console, words: Match) -> Iterator[str]:
    """Interfaces that count, and packets by DSCP."""
    core = _core(console)
    for index in console.interfaces([]):
        if core.is_on(index):
            yield f"{console.core.interface(index).name} counts"
    for value, packets in enumerate(core.counts()):
        if packets:
            yield f"{value:>4} {packets:>16}"
