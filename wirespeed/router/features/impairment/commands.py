"""Link impairment: a known amount of loss, delay, reordering or duplication. An extension.

- It applies to what the port and its sub-interfaces send, as the last step before the driver: first loss, then
  reordering, then duplication and delay. `loss` alone applies to each packet by itself; with `burst N`, N packets in a
  row are lost on average (Gilbert's model). A reordered packet changes places with the next one, for which it waits at
  most 100 ms. Jitter is uniform between 0 and the given value and keeps the order.
- `seed` (1 by default) selects the affected packets per worker: the same seed and packets give the same result. `show
  impairment` counts by reason since the impairment was first set. `show errors` has the same counters, and the
  generator counts the same numbers exactly.
- Waiting packets use at most half of the packet buffers and 65 536; more are dropped and counted. Packets that wait
  when the impairment ends are dropped. Without an impairment there is no node for it.
"""

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
    """Impair the packets that a port sends: shares of packets, mean length of loss bursts, times, seed."""
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
    """End the impairment; waiting packets are dropped."""
    console.core.impairment.clear(words["interface"])


@command("show impairment")
def show_impairment(console: Console, words: Match) -> Iterator[str]:
    """Impaired ports, their settings, and counters since they were set."""
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
    """Settings in the form of the command line."""
    words = [(name, f"{value:g}") for name, value in (("loss", settings.loss), ("burst", settings.loss_burst)) if value]
    times = (("delay", settings.delay_ns), ("jitter", settings.jitter_ns))
    words += [(name, f"{value_ns / 1e3:g}us") for name, value_ns in times if value_ns]
    shares = (("reorder", settings.reorder), ("duplicate", settings.duplicate))
    words += [(name, f"{value:g}") for name, value in shares if value]
    words.append(("seed", str(settings.seed)))
    return "".join(f" {name} {value}" for name, value in words)
