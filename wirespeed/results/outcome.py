"""The outcome of a measurement, in figures that state their uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from wirespeed.results.balance import Balance, Medium
from wirespeed.results.codec import NOT_KEPT, Stored


@dataclass(frozen=True)
class LoadPoint:
    """A load of one direction and the received rate: the mean over `samples` samples that end at `t_s`. Percentages are
    of the direction's line rate (layer 1) at the size of the frames sent; None if the line speed is unknown.
    `is_estimate`: each sample had a different load, as in a ramp. The received rate was `low_pps` to `high_pps` in the
    samples; files do not keep that."""

    t_s: float
    offered_pps: float
    received_pps: float
    offered_percent: float | None
    received_percent: float | None
    loss_ratio: float = 0.0
    l1_bps: float | None = None
    samples: int = 1
    is_estimate: bool = True
    low_pps: Annotated[float | None, NOT_KEPT] = field(default=None, compare=False)
    high_pps: Annotated[float | None, NOT_KEPT] = field(default=None, compare=False)


@dataclass(frozen=True)
class Knee:
    """Saturation point: the load above which the received rate no longer follows the offered load. It is between
    `low_pps` and `high_pps`, most likely at `offered_pps`; `plateau_pps` is the rate received above it."""

    offered_pps: float
    low_pps: float
    high_pps: float
    plateau_pps: float
    offered_percent: float | None


@dataclass(frozen=True)
class ChannelOutcome:
    """One direction of a whole test.

    `full_load` is the mean of the hold phase. `forwarded` is the mean of the highest load that lost at most the
    threshold, below `loss_onset`, the first sample of a persistent loss above the threshold. With several directions
    both are means over the same samples in each. `saturation` is the saturation point, None if there is none or if the
    tester was the limit. Frame lengths include the FCS: `frame_bytes` of frames sent, `received_frame_bytes` of frames
    received.
    `disturbed_samples` counts the samples whose loss above the threshold is explained by preemption."""

    balance: Balance
    frame_bytes: float | None
    received_frame_bytes: float | None
    line_bps: float | None
    full_load: LoadPoint | None = None
    forwarded: Annotated[LoadPoint | None, Stored(former="held")] = None
    loss_onset: Annotated[LoadPoint | None, Stored(former="lossy_from")] = None
    saturation: Annotated[Knee | None, Stored(former="saturated")] = None
    tester_limited: bool = False
    disturbed_samples: Annotated[int, Stored(former="spoilt_samples")] = 0


@dataclass(frozen=True)
class Outcome:
    """Outcome of a load test. `drain_s` is how long it waited for packets in flight, `settled` whether the counters
    stopped changing. `threshold` is a loss ratio."""

    threshold: float = 0.001
    drain_s: float | None = None
    settled: bool | None = None
    channels: Mapping[str, ChannelOutcome] = field(default_factory=dict)


@dataclass(frozen=True)
class PortFacts:
    """A port of the tester during a test. `flow_control` is its setting before traffic: `off`, `on` or `unknown` (the
    driver does not report it)."""

    index: int
    driver: str = ""
    mac: str = ""
    speed_bps: float | None = None
    medium: Medium = Medium.QUEUE
    flow_control: str = "unknown"
    extra: Mapping[str, Any] = field(default_factory=dict)
