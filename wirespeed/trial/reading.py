"""Everything that a measurement reads at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.client.readings import PortStats
from wirespeed.dut.dut import DutReading
from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.order import Order
from wirespeed.results.sample import balance
from wirespeed.trial.latency import LatencyReading
from wirespeed.trial.machine import MachineReading


@dataclass(frozen=True)
class TrialReading:
    """Counters as they stood at `at_s` of the tester's clock; each port's own instant is in its `at_s`.

    `instant` says that all were counted at once and as of then. `test_frames` and `latency` are there for directions
    whose packets are told from others, `order` for those whose packets bear numbers."""

    at_s: float
    ports: Mapping[int, PortStats]
    global_stats: Mapping[str, Any] = field(default_factory=dict)
    instant: bool = False
    test_frames: Mapping[Channel, int] = field(default_factory=dict)
    order: Mapping[Channel, Order] = field(default_factory=dict)
    latency: Mapping[Channel, LatencyReading] = field(default_factory=dict)
    machine: MachineReading = MachineReading()  # noqa: RUF009 - frozen
    dut: DutReading | None = None

    def port_at_s(self, port: int) -> float:
        at_s = self.ports[port].at_s
        return self.at_s if at_s is None else at_s


def balance_between(
    before: TrialReading, after: TrialReading, channel: Channel, medium: Medium, kinds: frozenset[str] = frozenset()
) -> Balance:
    """The packet balance of `channel` from `before` to `after`; `kinds` are control frames that belong to the load."""

    def grown(port: int, counter: str) -> int | None:
        old, new = getattr(before.ports[port], counter), getattr(after.ports[port], counter)
        return None if old is None or new is None else new - old

    test_frames = None
    if channel in after.test_frames:
        test_frames = after.test_frames[channel] - before.test_frames.get(channel, 0)
    return balance(
        sent=grown(channel.tx, "opackets") or 0,
        received=grown(channel.rx, "ipackets") or 0,
        intended=grown(channel.tx, "intended"),
        refused=grown(channel.tx, "refused") or 0,
        no_buffer=grown(channel.tx, "no_buffer") or 0,
        late=grown(channel.tx, "late") or 0,
        missed=grown(channel.rx, "rx_missed") or 0,
        foreign=foreign(before.ports[channel.rx], after.ports[channel.rx], kinds) or 0,
        test_frames=test_frames,
        medium=medium,
        paused=bool(grown(channel.tx, "rx_pause_frames")),
        order=after.order[channel].since(before.order.get(channel, Order())) if channel in after.order else None,
    )


def foreign(before: PortStats, after: PortStats, kinds: frozenset[str]) -> int | None:
    """Frames received in between that are of a kind no stream sends; None where the server does not tell kinds."""
    if not after.kinds:
        return None
    return sum(count - before.kinds.get(kind, 0) for kind, count in after.kinds.items() if kind not in kinds)
