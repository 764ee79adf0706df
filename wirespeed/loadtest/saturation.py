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

    `loss_ratio` is the share of it that did not come back. `tester_pps` is the tester's own part of that: sent too
    late to be sent at all, or returned and missed by its receiver. The rest, refused by the medium or lost in
    between, is the device's.
    """

    t_s: float
    phase: str
    offered_pps: float
    received_pps: float
    loss_ratio: float
    tester_pps: float

    @property
    def short_pps(self) -> float:
        return self.offered_pps * self.loss_ratio


def channel_points(
    samples: Sequence[Sample], channel: Channel, phases: Sequence[str] | None = MEASURED_PHASES
) -> list[ChannelPoint]:
    """The points of `channel` in `phases`, in time order; of all phases with None."""
    before: tuple[Sample | None, ...] = (None, *samples)
    return [
        _point(previous, sample, channel)
        for previous, sample in zip(before, samples, strict=False)
        if phases is None or sample.phase in phases
    ]


def _point(previous: Sample | None, sample: Sample, channel: Channel) -> ChannelPoint:
    tester = _grown(previous, sample, channel.tx, "late") + _grown(previous, sample, channel.rx, "rx_missed")
    return ChannelPoint(
        t_s=sample.t_s,
        phase=sample.phase,
        offered_pps=offered_pps(sample.ports[channel.tx]),
        received_pps=sample.ports[channel.rx].rx_pps,
        loss_ratio=_loss_ratio(previous, sample, channel),
        tester_pps=tester / sample.interval_s if sample.interval_s > 0 else 0.0,
    )


def _loss_ratio(previous: Sample | None, sample: Sample, channel: Channel) -> float:
    """Packets missing among those asked for, or among those sent where the file does not say what was asked.

    Counter totals are used where both samples have them: rates of T-Rex are smoothed and not read at one instant.
    """
    tx, rx = sample.ports[channel.tx], sample.ports[channel.rx]
    sent = _since(previous, sample, channel.tx, "opackets")
    received = _since(previous, sample, channel.rx, "ipackets")
    if sent is None or received is None or sample.interval_s <= 0:
        sent, received = offered_pps(tx), rx.rx_pps
    elif tx.asked_pps is not None:
        sent = tx.asked_pps * sample.interval_s
    return min(1.0, max(0.0, (sent - received) / sent)) if sent > 0 else 0.0


def _since(previous: Sample | None, sample: Sample, port: int, counter: str) -> float | None:
    """Growth of a counter since the sample before; None where one is missing or the counter was reset."""
    if previous is None:
        return None
    old, new = getattr(previous.ports[port], counter), getattr(sample.ports[port], counter)
    return None if old is None or new is None or new < old else float(new - old)


def _grown(previous: Sample | None, sample: Sample, port: int, counter: str) -> float:
    """The same of counters that begin at 0 with the test; 0 where there is none."""
    if previous is None:
        return float(getattr(sample.ports[port], counter) or 0)
    return _since(previous, sample, port, counter) or 0.0


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


def share_of_tester(points: Sequence[ChannelPoint], threshold: float = DEFAULT_THRESHOLD) -> float:
    """The tester's own share, 0 to 1, of all packets missing in the points that fail."""
    failing = [point for point in points if point.loss_ratio > threshold]
    missing = sum(point.short_pps for point in failing)
    return min(1.0, sum(point.tester_pps for point in failing) / missing) if missing > 0 else 0.0


def limited_by_tester(points: Sequence[ChannelPoint], threshold: float = DEFAULT_THRESHOLD) -> bool:
    """Whether the shortfall of the failing points is mostly packets that the tester could not send or receive."""
    return share_of_tester(points, threshold) > 0.5
