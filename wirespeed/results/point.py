"""Samples of one direction as points: offered load, received rate, loss, share of the line, and the reason if the
sample is disturbed. docs/measurement.md has the rules for users."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from statistics import median

from wirespeed.results.balance import Balance, Medium, total
from wirespeed.results.channel import Channel
from wirespeed.results.machine import preempted_share, why_disturbed
from wirespeed.results.sample import PortSample, Sample, sample_balance
from wirespeed.units import l1_bits, l1_bps

MOST_FRAME_BYTES = 1e6  # what a file says beyond it is not a length
LEAST_USED = 1e-6  # packets per second, and percent of the line; less is noise that gives no line rate


@dataclass(frozen=True)
class Point:
    """One sample of one direction, or of several together (`lines` of them).

    `received_pps` counts test frames received, at most as many as were offered (in files of other programs: their
    smoothed rate). Frame lengths are means with FCS, None without byte rates. Percentages are of the line (L1), summed
    over the directions of a sum: `line_percent` is the received rate by the lengths sent, `received_line_percent` by
    the lengths received, `offered_line_percent` the offered rate. A sample in which the tester catches up may exceed
    100. `preempted_share` is the share of the interval in which workers were preempted, None if not measured;
    `disturbed` is the reason if preemption explains the loss of the sample.
    """

    t_s: float
    phase: str
    interval_s: float
    balance: Balance
    offered_pps: float
    received_pps: float
    loss_ratio: float
    frame_bytes: float | None
    received_frame_bytes: float | None
    line_bps: float | None
    offered_line_percent: float | None
    line_percent: float | None
    received_line_percent: float | None
    measured: bool
    preempted_share: float | None = None
    disturbed: str | None = None
    lines: int = 1

    @property
    def returned_pps(self) -> float:
        """Rate that the DUT returned, including packets that the tester's receiver dropped."""
        balance = self.balance
        if self.interval_s <= 0:
            return 0.0
        return min(balance.offered, balance.test_frames + balance.lost_by_tester) / self.interval_s


def points(
    samples: Sequence[Sample],
    channel: Channel,
    medium: Medium,
    line_bps: float | None = None,
    *,
    smoothed: bool = False,
) -> tuple[Point, ...]:
    """A point for each sample, of all phases, in time order.

    `line_bps` is the direction's line; without it, it follows from the rates and the utilisation that the tester gave,
    where it gave them. `smoothed`: the rates are those of trex-loadtest and kept as they are.
    """
    line_bps = line_bps or line_of_utilisation(samples, channel)
    line_pps = line_pps_of_utilisation(samples, channel) if line_bps is None else None
    before: tuple[Sample | None, ...] = (None, *samples)
    return tuple(
        _point(previous, sample, channel, medium, line_bps, line_pps, smoothed)
        for previous, sample in zip(before, samples, strict=False)
    )


def summed(row: Sequence[Point]) -> Point:
    """The points of several directions at one instant as one; its line is all their lines."""
    first, balance = row[0], total(point.balance for point in row)
    offered, received = (fsum(getattr(point, way) for point in row) for way in ("offered_pps", "received_pps"))
    disturbed = next((point.disturbed for point in row if point.disturbed), None)
    return replace(
        first,
        balance=balance,
        offered_pps=offered,
        received_pps=received,
        loss_ratio=balance.loss_ratio,
        frame_bytes=_mean([(point.frame_bytes, point.offered_pps) for point in row]),
        received_frame_bytes=_mean([(point.received_frame_bytes, point.received_pps) for point in row]),
        line_bps=known_sum([point.line_bps for point in row]),
        offered_line_percent=known_sum([point.offered_line_percent for point in row]),
        line_percent=known_sum([point.line_percent for point in row]),
        received_line_percent=known_sum([point.received_line_percent for point in row]),
        disturbed=disturbed,
        lines=sum(point.lines for point in row),
    )


def line_of_utilisation(samples: Sequence[Sample], channel: Channel) -> float | None:
    """Bits per second of the direction's line, by the sender's L1 rate and utilisation; None if a file lacks them."""
    ports = [sample.ports[channel.tx] for sample in samples]
    used = [(l1_bps(port.tx_bps, port.tx_pps), port.tx_util) for port in ports if port.tx_bps > 0]
    return _full(used)


def line_pps_of_utilisation(samples: Sequence[Sample], channel: Channel) -> float | None:
    """Packets per second that fill the line, from rate and utilisation: the sender's, else the receiver's."""
    sender = [(sample.ports[channel.tx].tx_pps, sample.ports[channel.tx].tx_util) for sample in samples]
    receiver = [(sample.ports[channel.rx].rx_pps, sample.ports[channel.rx].rx_util) for sample in samples]
    return _full(sender) or _full(receiver)


def _full(rates: Sequence[tuple[float, float]]) -> float | None:
    """The rate at 100 %: the median over the busier half, since a utilisation near zero is mostly rounding."""
    used = [(rate, util) for rate, util in rates if rate > LEAST_USED and util > LEAST_USED]
    if not used:
        return None
    busy = max(util for _, util in used) / 2
    return median(rate / util * 100 for rate, util in used if util >= busy)


def _point(
    before: Sample | None,
    sample: Sample,
    channel: Channel,
    medium: Medium,
    line_bps: float | None,
    line_pps: float | None,
    smoothed: bool,
) -> Point:
    tx, rx = sample.ports[channel.tx], sample.ports[channel.rx]
    balance = sample_balance(before, sample, channel, medium)
    seconds = sample.interval_s
    offered_pps = balance.offered / seconds if seconds > 0 else 0.0
    received_pps = max(0.0, min(balance.test_frames, balance.offered)) / seconds if seconds > 0 else 0.0
    if smoothed:
        received_pps = max(0.0, rx.rx_pps)
    frame_bytes, received_frame_bytes = _mean_frame(tx, "tx"), _mean_frame(rx, "rx")

    def percent(pps: float, length: float | None) -> float | None:
        if line_bps and length:
            return pps * l1_bits(length) / line_bps * 100
        return pps / line_pps * 100 if line_pps else None

    line_percent = percent(received_pps, frame_bytes)
    return Point(
        t_s=sample.t_s,
        phase=sample.phase,
        interval_s=seconds,
        balance=balance,
        offered_pps=offered_pps,
        received_pps=received_pps,
        loss_ratio=balance.loss_ratio,
        frame_bytes=frame_bytes,
        received_frame_bytes=received_frame_bytes,
        line_bps=line_bps,
        offered_line_percent=percent(offered_pps, frame_bytes),
        line_percent=rx.rx_util or line_percent if smoothed else line_percent,
        received_line_percent=percent(received_pps, received_frame_bytes),
        measured=sample.measured and (offered_pps > 0 or bool(balance.intended)),
        preempted_share=preempted_share(before, sample),
        disturbed=why_disturbed(before, sample, channel, balance.loss_ratio),
    )


def _mean_frame(port: PortSample, way: str) -> float | None:
    pps, bps = getattr(port, f"{way}_pps"), getattr(port, f"{way}_bps")
    length = rounded_bytes(bps / pps / 8) if pps > LEAST_USED and bps > 0 else 0.0
    return length if 1 <= length <= MOST_FRAME_BYTES else None


def rounded_bytes(length: float) -> float:
    """A mean length without the last digits, which the division of rates leaves: 9018.0, not 9017.999999999998."""
    return round(length, 6)


def _mean(weighted: Sequence[tuple[float | None, float]]) -> float | None:
    """The mean of those known, each by its weight."""
    known = [(value, weight) for value, weight in weighted if value is not None and weight > 0]
    return fsum(value * weight for value, weight in known) / fsum(weight for _, weight in known) if known else None


def known_sum(values: Sequence[float | None]) -> float | None:
    """The sum of the values; None if one of them is unknown."""
    known = [value for value in values if value is not None]
    return fsum(known) if len(known) == len(values) else None
