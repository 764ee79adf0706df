"""The result of a trial: one load, held for some time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from wirespeed.results.balance import Balance, total
from wirespeed.results.channel import Channel
from wirespeed.results.codec import SPARSE, Stored
from wirespeed.results.dut import DutTelemetry, telemetry_at
from wirespeed.results.sample import Latency, Preemption
from wirespeed.units import Rate


@dataclass(frozen=True)
class Drain:
    """The time spent waiting for packets in flight, and whether the counters stopped changing."""

    duration_s: float
    settled: bool


@dataclass(frozen=True)
class ChannelTrial:
    """One direction of a trial. `balance` and `latency` are read after the drain, rates are over the time under load.
    `tester_limited`: the tester did not offer the intended load. `most_by_preemption` is the largest loss in packets
    that preemption can explain, None if unknown; `disturbed` is the reason why preemption explains the whole loss."""

    balance: Balance
    offered_pps: float
    received_pps: float
    latency: Annotated[Latency | None, SPARSE] = None
    tester_limited: bool = False
    most_by_preemption: Annotated[float | None, Stored(sparse=True, former="most_by_absence")] = None
    disturbed: Annotated[str | None, Stored(sparse=True, former="spoilt")] = None


@dataclass(frozen=True)
class TrialResult:
    """One load held for some time. Times are on the tester's clock, in seconds since its ports were acquired.

    `links_down` are ports that lost their link. `dut_before` has the DUT's
    values before the load, `dut` those under load, `dut_after` those of the drain.
    """

    rate: Rate
    began_s: Annotated[float, Stored("began")]
    ended_s: Annotated[float, Stored("ended")]
    channels: Mapping[Channel, ChannelTrial]
    drain: Drain
    preemption: Annotated[Preemption | None, Stored(sparse=True, former="machine")] = None
    links_down: Annotated[tuple[int, ...], SPARSE] = ()
    dut_before: Annotated[DutTelemetry, telemetry_at("dut.before")] = field(default_factory=DutTelemetry)
    dut: Annotated[DutTelemetry, telemetry_at("dut.under_load")] = field(default_factory=DutTelemetry)
    dut_after: Annotated[DutTelemetry, telemetry_at("dut.after")] = field(default_factory=DutTelemetry)

    @property
    def duration_s(self) -> float:
        return self.ended_s - self.began_s

    @property
    def effective_s(self) -> float:
        """Duration of the trial, including the wait for packets in flight."""
        return self.duration_s + self.drain.duration_s

    @property
    def balance(self) -> Balance:
        """All directions together."""
        return total(channel.balance for channel in self.channels.values())

    @property
    def tester_limited(self) -> bool:
        return any(channel.tester_limited for channel in self.channels.values())

    @property
    def disturbed(self) -> str | None:
        """The reason if preemption explains all that is missing; None if more is missing in any direction."""
        lacking = [one.disturbed for one in self.channels.values() if one.disturbed or one.balance.shortfall > 0]
        return lacking[0] if lacking and all(lacking) else None
