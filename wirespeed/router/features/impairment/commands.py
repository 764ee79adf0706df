"""set interface impairment, show impairment: packets that a port loses, delays, reorders and doubles on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.commands.registry import command
from wirespeed.router.features.impairment.core import Impairment
from wirespeed.router.grammar import Match
from wirespeed.seam.interfaces import InterfaceKind

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command(
    "set interface impairment <interface> (loss <share:loss>|burst <count:burst>|delay <duration:delay>"
    "|jitter <duration:jitter>|reorder <share:reorder>|duplicate <share:duplicate>|seed <number:seed>)..."
)
def set_impairment(console: Console, words: Match) -> None:
    """Have a port spoil what it sends: shares of packets, losses in bursts of that mean length, times; same seed,
    same fate."""
    for name in ("loss", "burst", "delay", "jitter", "reorder", "duplicate", "seed"):
        if len(words.all(name)) > 1:
            raise UsageError(f"{name} is given twice; give it once")
    console.core.impairment.set(
        words["interface"],
        Impairment(
            loss=words.get("loss", 0.0),
            loss_burst=words.get("burst", 0.0),
            duplicate=words.get("duplicate", 0.0),
            reorder=words.get("reorder", 0.0),
            delay_ns=words.get("delay", 0),
            jitter_ns=words.get("jitter", 0),
            seed=words.get("seed", 1),
        ),
    )


@command("set interface impairment <interface> off")
def no_impairment(console: Console, words: Match) -> None:
    """Have a port send what it is given; packets that wait are dropped."""
    console.core.impairment.clear(words["interface"])


@command("show impairment")
def show_impairment(console: Console, words: Match) -> Iterator[str]:
    """Which ports are impaired, how, and what that did to packets since it was set."""
    core = console.core
    for index in console.interfaces(()):
        face = core.interface(index)
        found = core.impairment.of(index) if face.kind is InterfaceKind.PORT else None
        if found is None:
            continue
        settings, counters = found
        yield f"{face.name}{_settings_text(settings)}"
        for label, count in (
            ("packets", counters.packets),
            ("lost", counters.lost),
            ("duplicated", counters.duplicated),
            ("reordered", counters.reordered),
            ("delayed", counters.delayed),
            ("waiting", counters.held),
            ("dropped for lack of room", counters.no_room),
            ("not duplicated for lack of room", counters.no_copy),
        ):
            yield f"  {label:<32}{count:>16}"


def _settings_text(settings: Impairment) -> str:
    """As they are typed."""
    words = [(name, f"{value:g}") for name, value in (("loss", settings.loss), ("burst", settings.loss_burst)) if value]
    times = (("delay", settings.delay_ns), ("jitter", settings.jitter_ns))
    words += [(name, f"{value_ns / 1e3:g}us") for name, value_ns in times if value_ns]
    shares = (("reorder", settings.reorder), ("duplicate", settings.duplicate))
    words += [(name, f"{value:g}") for name, value in shares if value]
    words.append(("seed", str(settings.seed)))
    return "".join(f" {name} {value}" for name, value in words)
