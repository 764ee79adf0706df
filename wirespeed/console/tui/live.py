"""Values of the live view for one second: readings, and losses between two of them. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed.console.readings import FlowStatistics, PortReading, StreamReading

MINUTE = 60
LOSS_NOISE = 0.001
"""Packets on the way make received lag behind sent; a smaller share than this is not a loss."""


@dataclass(frozen=True)
class MissingRates:
    """Packets per second that were due from a port and did not arrive at its pair, by whose fault.

    `drops` are the wire's and the device's: refused or lost. `late` the generator was too slow to send.
    """

    drops_pps: float = 0.0
    late_pps: float = 0.0


@dataclass(frozen=True)
class Live:
    """One second; `missing` is for each port in order."""

    stats: Mapping[str, Any]
    ports: tuple[PortReading, ...]
    missing: tuple[MissingRates, ...]
    flows: tuple[FlowStatistics, ...] = ()
    streams: tuple[StreamReading, ...] = ()
    more_streams: int = 0


def missing(
    now: Sequence[PortReading], before: Sequence[PortReading] | None, seconds: float
) -> tuple[MissingRates, ...]:
    """From the counters of two readings if the server reports the intended load, otherwise from its rates."""
    return tuple(_missing(place, now, before, seconds) for place in range(len(now)))


def _missing(
    place: int, now: Sequence[PortReading], before: Sequence[PortReading] | None, seconds: float
) -> MissingRates:
    pair = _pair(place, len(now))
    sender, receiver = now[place], now[pair]
    if "intended" not in sender.counters:
        return MissingRates(_loss(sender.tx_pps, sender.tx_pps - receiver.rx_pps))
    if before is None or seconds <= 0 or len(before) != len(now):
        return MissingRates()

    def rate(name: str, at: int) -> float:
        return (now[at].counters[name] - before[at].counters.get(name, 0)) / seconds

    due, late = rate("intended", place), rate("late", place)
    return MissingRates(_loss(due, due - late - rate("ipackets", pair)), _loss(due, late))


def _loss(due: float, lost: float) -> float:
    return lost if due > 0 and lost > due * LOSS_NOISE else 0.0


def _pair(place: int, count: int) -> int:
    """Ports are wired in pairs, as T-Rex has them: 0 and 1, 2 and 3."""
    return place ^ 1 if place ^ 1 < count else place


@dataclass
class Minute:
    """Rates of the last minute, the newest last."""

    tx_pps: list[deque[float]] = field(default_factory=list)
    rx_pps: list[deque[float]] = field(default_factory=list)

    def add(self, live: Live) -> None:
        if len(self.tx_pps) != len(live.ports):
            self.tx_pps = [deque(maxlen=MINUTE) for _ in live.ports]
            self.rx_pps = [deque(maxlen=MINUTE) for _ in live.ports]
        for tx, rx, reading in zip(self.tx_pps, self.rx_pps, live.ports, strict=True):
            tx.append(reading.tx_pps)
            rx.append(reading.rx_pps)


_BARS = " ▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], width: int, ceiling: float) -> str:
    """Bars from 0 to `ceiling`, the newest on the right; the highest of those that share a column."""
    per_column = max(1, -(-MINUTE // width))
    newest_first = list(reversed(values))
    columns = [max(newest_first[at : at + per_column]) for at in range(0, len(newest_first), per_column)][:width]
    return "".join(_bar(value, ceiling) for value in reversed(columns)).rjust(width)


def _bar(value: float, ceiling: float) -> str:
    """Anything above 0 has a bar."""
    if value <= 0 or ceiling <= 0:
        return _BARS[0]
    return _BARS[max(1, min(8, round(8 * value / ceiling)))]
