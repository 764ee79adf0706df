"""What a measurement came to, in numbers that carry their doubt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.results.balance import Balance, Medium


@dataclass(frozen=True)
class LoadPoint:
    """A load of one direction and what came back, as the mean over `samples` samples that end at `t_s`. Percentages are
    of the direction's line (L1) by the frames that were sent; None without a line speed. `is_estimate`: each sample
    had a load of its own, as in a ramp.
    """

    t_s: float
    offered_pps: float
    received_pps: float
    offered_percent: float | None
    received_percent: float | None
    loss_ratio: float = 0.0
    l1_bps: float | None = None
    samples: int = 1
    is_estimate: bool = True


@dataclass(frozen=True)
class Knee:
    """The load from which on received no longer follows offered: between `low_pps` and `high_pps`, most likely at
    `offered_pps`; `plateau_pps` is what is received beyond it."""

    offered_pps: float
    low_pps: float
    high_pps: float
    plateau_pps: float
    offered_percent: float | None


@dataclass(frozen=True)
class ChannelOutcome:
    """One direction of a whole test.

    `full_load` is the mean of the hold, `held` the mean of the highest load that lost at most the threshold, before
    `lossy_from`, the first sample from which loss above the threshold persists. In a test of several directions both
    are means over the same samples for all of them. `saturated` is the knee, None where there is none or where the
    tester was the limit. Frame lengths are with FCS: `frame_bytes` of those sent, `received_frame_bytes` of those that
    came back. In `spoilt_samples` the machine's absences explain a loss above the threshold.
    """

    balance: Balance
    frame_bytes: float | None
    received_frame_bytes: float | None
    line_bps: float | None
    full_load: LoadPoint | None = None
    held: LoadPoint | None = None
    lossy_from: LoadPoint | None = None
    saturated: Knee | None = None
    tester_limited: bool = False
    spoilt_samples: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a load test came to. `drain_s` is how long the packets under way were waited for, `settled` whether the
    counters came to rest."""

    threshold: float = 0.001
    drain_s: float | None = None
    settled: bool | None = None
    channels: Mapping[str, ChannelOutcome] = field(default_factory=dict)


@dataclass(frozen=True)
class PortFacts:
    """A port of the tester as it was during a test. `flow_control` is its setting before traffic: "off", "on" or
    "unknown" (the driver does not say)."""

    index: int
    driver: str = ""
    mac: str = ""
    speed_bps: float | None = None
    medium: Medium = Medium.QUEUE
    flow_control: str = "unknown"
    extra: Mapping[str, Any] = field(default_factory=dict)
