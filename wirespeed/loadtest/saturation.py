"""From which load on is the device under test saturated: the rule, and the points it is applied to.

A sample fails when more than `threshold` of what was asked for did not come back. Loss persists from a failing
sample when it starts at least RUN failing samples in a row, and when it does not heal: of the samples from there
to the end of ramp and hold at least nine in ten fail, one good sample being forgiven in any case. A shorter run at
the very end counts when no load as high was seen to pass, so that a ramp which ends just past the limit shows it
while a single hiccup late in the hold does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from wirespeed.loadtest.result import Channel, PortSample, Sample

DEFAULT_THRESHOLD = 0.001
RUN = 3
HEALED_SHARE = 0.1
MEASURED_PHASES = ("ramp", "hold")
_SAME_LOAD = 0.995


@dataclass(frozen=True)
class ChannelPoint:
    """One sample of one channel. Offered is what the load called for, where the server says; else what was sent.

    `tester_pps` is the tester's own part of the shortfall: sent too late to be sent at all, or returned and missed
    by its receiver. The rest, refused by the medium or lost in between, is the device's.
    """

    t_s: float
    phase: str
    offered_pps: float
    received_pps: float
    tester_pps: float

    @property
    def short_pps(self) -> float:
        return max(0.0, self.offered_pps - self.received_pps)

    @property
    def loss_ratio(self) -> float:
        return self.short_pps / self.offered_pps if self.offered_pps > 0 else 0.0


def channel_points(
    samples: Sequence[Sample], channel: Channel, phases: Sequence[str] = MEASURED_PHASES
) -> list[ChannelPoint]:
    """The points of `channel` in `phases`, in time order."""
    points: list[ChannelPoint] = []
    at_fault_before = 0
    for sample in samples:
        sender, receiver = sample.ports[channel.tx], sample.ports[channel.rx]
        at_fault = (sender.late or 0) + (receiver.rx_missed or 0)
        if sample.phase in phases:
            tester_pps = max(0, at_fault - at_fault_before) / sample.interval_s if sample.interval_s > 0 else 0.0
            points.append(ChannelPoint(sample.t_s, sample.phase, offered_pps(sender), receiver.rx_pps, tester_pps))
        at_fault_before = at_fault
    return points


def offered_pps(sender: PortSample) -> float:
    """What the load called for on a sending port."""
    return sender.tx_pps if sender.asked_pps is None else sender.asked_pps


def saturation_index(
    loads: Sequence[float], loss_ratios: Sequence[float], threshold: float = DEFAULT_THRESHOLD, complete: bool = True
) -> int | None:
    """Index of the first load from which loss persists, or None.

    `loads` and `loss_ratios` are the ramp and hold samples of one channel in time order; samples without load say
    nothing and are skipped. With `complete` false more samples may follow, and a short run at the end waits for them.
    """
    loaded = [index for index, load in enumerate(loads) if load > 0]
    fails = [loss_ratios[index] > threshold for index in loaded]
    passes_from = list(accumulate((not failed for failed in reversed(fails)), initial=0))[::-1]
    highest_pass = 0.0
    start = 0
    while start < len(fails):
        if not fails[start]:
            highest_pass = max(highest_pass, loads[loaded[start]])
            start += 1
            continue
        end = next((after for after in range(start, len(fails)) if not fails[after]), len(fails))
        novel = loads[loaded[start]] * _SAME_LOAD > highest_pass
        long_enough = end - start >= RUN or (complete and end == len(fails) and novel)
        healed = passes_from[start] > max(1, HEALED_SHARE * (len(fails) - start))
        if long_enough and not healed:
            return loaded[start]
        start = end
    return None


def limited_by_tester(points: Sequence[ChannelPoint], threshold: float = DEFAULT_THRESHOLD) -> bool:
    """Whether the shortfall of the failing points is mostly packets that the tester could not send or receive."""
    failing = [point for point in points if point.loss_ratio > threshold]
    return sum(point.tester_pps for point in failing) * 2 > sum(point.short_pps for point in failing)
