"""A DUT whose loss at each load is known exactly, without any time spent: trials follow from a function and a seed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from wirespeed.results.balance import Balance, Medium
from wirespeed.results.channel import Channel
from wirespeed.results.sample import Preemption
from wirespeed.results.search_trial import Purpose, SearchTrial
from wirespeed.results.trial import ChannelTrial, Drain, TrialResult
from wirespeed.units import Rate

FORWARD, BACK = Channel(0, 1), Channel(1, 0)

Loss = Callable[[float, random.Random], float]
"""The share of packets lost in one trial at a load."""


def step(capacity_pps: float) -> Loss:
    """No loss up to the capacity; above it the excess is lost."""
    return lambda load, rng: max(0.0, 1 - capacity_pps / load)


def linear(from_pps: float, slope_per_pps: float) -> Loss:
    """From a certain load on, loss increases with the load."""
    return lambda load, rng: min(1.0, max(0.0, (load - from_pps) * slope_per_pps))


def noisy(loss: Loss, share: float = 0.05, lost: float = 0.02) -> Loss:
    """Some of the trials lose packets for no reason."""
    return lambda load, rng: max(loss(load, rng), lost if rng.random() < share else 0.0)


def constant(ratio: float, loss: Loss) -> Loss:
    """A constant share is lost at each load."""
    return lambda load, rng: max(ratio, loss(load, rng))


def oscillating(high_pps: float, low_pps: float) -> Loss:
    """Every third trial has a lower capacity."""
    counts = itertools.count()
    return lambda load, rng: max(0.0, 1 - (high_pps if next(counts) % 3 else low_pps) / load)


@dataclass
class SimulatedDut:
    """Measures like a testbed. The tester sends at most `tester_pps` per direction, less up to `tester_noise` of it.
    During `away` trials CPUs are preempted, which costs `away_loss` of the packets and can explain that much. A trial
    costs `overhead_s` in addition to its duration.
    """

    loss: Loss
    seed: int = 0
    tester_pps: float = float("inf")
    tester_noise: float = 0.0
    overhead_s: float = 0.5
    away: Callable[[random.Random], bool] = lambda rng: False
    away_loss: float = 0.02
    dies_at: int | None = None
    clock_s: float = 0.0
    count: int = 0
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def __call__(self, load_pps: float, duration_s: float, purpose: Purpose) -> SearchTrial:
        self.count += 1
        ratio, away = self.loss(load_pps, self.rng), self.away(self.rng)
        dead = self.dies_at is not None and self.count >= self.dies_at
        channels = {}
        for wire in (FORWARD, BACK):
            asked = round(load_pps * duration_s)
            able_pps = self.tester_pps * (1 - self.tester_noise * self.rng.random())
            sent = round(min(asked, able_pps * duration_s))
            by_absence = round(sent * self.away_loss) if away else 0
            lost = sent if dead else min(sent, round(sent * ratio) + by_absence)
            balance = Balance(sent=sent, received=sent - lost, intended=asked, late=asked - sent, medium=Medium.QUEUE)
            channels[wire] = ChannelTrial(
                balance=balance,
                offered_pps=sent / duration_s,
                received_pps=(sent - lost) / duration_s,
                tester_limited=balance.tester_share > 0.001,
                most_by_preemption=by_absence,
                disturbed="the DUT's worker was away" if 0 < balance.shortfall <= by_absence else None,
            )
        began = self.clock_s
        self.clock_s += duration_s + self.overhead_s
        trial = TrialResult(
            rate=Rate(load_pps, "pps"),
            began_s=began,
            ended_s=began + duration_s,
            channels=channels,
            drain=Drain(self.overhead_s, settled=True),
            preemption=Preemption(dut_preempted_s=self.away_loss * duration_s if away else 0.0),
        )
        return SearchTrial(self.count, purpose, load_pps, duration_s, trial)
