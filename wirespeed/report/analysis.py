"""What one load test says: offered against received load of each channel, where loss sets in, and whose it is.

From which sample on loss persists is decided by `wirespeed.loadtest.saturation`, as it is while a test runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from wirespeed.loadtest.result import Channel, PortSample, Result, Sample
from wirespeed.loadtest.saturation import (
    MEASURED_PHASES,
    ChannelPoint,
    channel_points,
    limited_by_tester,
    saturation_index,
    share_of_tester,
)
from wirespeed.units import l1_bps

SUM = "sum"
LEAST_USED = 1e-6  # packets a second, and percent of the line; less is noise that gives no line rate


@dataclass(frozen=True)
class Point(ChannelPoint):
    """A point with its rates in bits and its part of the line.

    `line_percent` is the received load at layer 1 in percent of one line, summed over the channels of a sum.
    """

    l2_bps: float
    line_percent: float | None

    @property
    def measured(self) -> bool:
        """Whether the sample counts: not in the warm-up or the drain, and some load was offered."""
        return self.phase in MEASURED_PHASES and self.offered_pps > 0


@dataclass(frozen=True)
class Saturation:
    """The first load from which loss above the threshold persists; the percentage is of the line rate (L1)."""

    t_s: float
    offered_pps: float
    received_pps: float
    line_percent: float | None


@dataclass(frozen=True)
class Curve:
    """A channel, or the sum of all, over a whole test. None stands where the test did not say.

    `ok_pps` is the highest received rate of a sample within the threshold before loss persists. `max_*` are those
    of the sample with the highest received rate. `stray_failures` counts samples above the threshold that did not last.
    `tester_ratio` is the tester's own share of all packets missing in the samples above the threshold;
    `tester_limited` says that it dominates, or that the load tester found so itself.
    """

    channel: str
    points: tuple[Point, ...]
    lines: int
    line_pps: float | None
    ok_pps: float | None
    max_pps: float | None
    max_l2_bps: float | None
    max_l1_bps: float | None
    max_line_percent: float | None
    saturation: Saturation | None
    stray_failures: int
    tester_ratio: float
    tester_limited: bool

    @property
    def measured(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.measured)


@dataclass(frozen=True)
class Analysis:
    """One test: a curve for each channel and, of several channels, their sum as the last."""

    result: Result
    curves: tuple[Curve, ...]

    @property
    def frame_bytes(self) -> float | None:
        """Mean size on the wire of the frames sent, FCS included; None where the file holds no byte rates."""
        sizes = [
            port.tx_bps / port.tx_pps / 8
            for sample in self.result.samples
            for port in (sample.ports[channel.tx] for channel in self.result.channels)
            if port.tx_pps > 0 and port.tx_bps > 0
        ]
        return median(sizes) if sizes else None


def analyse(result: Result, threshold: float) -> Analysis:
    """Analyse every channel; samples that lost more than `threshold` (a ratio) of the offered packets have failed."""
    channels = result.channels
    columns = [_points(result.samples, channel) for channel in channels]
    lines = [_line_pps(result.samples, channel) for channel in channels]
    curves = [
        _curve(str(channel), points, [line_pps], threshold, _found_limited(result, channel))
        for channel, points, line_pps in zip(channels, columns, lines, strict=True)
    ]
    if len(channels) > 1:
        points = tuple(_sum(row) for row in zip(*columns, strict=True))
        limited = any(_found_limited(result, channel) for channel in channels)
        curves.append(_curve(SUM, points, lines, threshold, limited))
    return Analysis(result, tuple(curves))


def _found_limited(result: Result, channel: Channel) -> bool:
    """Whether the load tester itself noted that it could not send this channel's load."""
    channels = result.outcome.get("channels")
    found = channels.get(str(channel)) if isinstance(channels, dict) else None
    return isinstance(found, dict) and found.get("tester_limited") is True


def _curve(
    channel: str, points: tuple[Point, ...], line_rates: Sequence[float | None], threshold: float, limited: bool
) -> Curve:
    lines, line_pps = len(line_rates), _total(line_rates)
    measured = [point for point in points if point.measured]
    losses = [point.loss_ratio for point in measured]
    failing = [loss > threshold for loss in losses]
    first = saturation_index([point.offered_pps for point in measured], losses, threshold)
    passed = [point.received_pps for point, failed in zip(measured[:first], failing[:first], strict=True) if not failed]
    best = max(measured, key=lambda point: point.received_pps, default=None)
    return Curve(
        channel=channel,
        points=points,
        lines=lines,
        line_pps=line_pps,
        ok_pps=max(passed, default=None),
        max_pps=best.received_pps if best else None,
        max_l2_bps=best.l2_bps if best and best.l2_bps else None,
        max_l1_bps=l1_bps(best.l2_bps, best.received_pps) if best and best.l2_bps else None,
        max_line_percent=best.line_percent if best else None,
        saturation=None if first is None else _saturation(measured[first], lines, line_pps),
        stray_failures=sum(failing[:first]),
        tester_ratio=share_of_tester(measured, threshold),
        tester_limited=limited or limited_by_tester(measured, threshold),
    )


def _saturation(point: Point, lines: int, line_pps: float | None) -> Saturation:
    percent = point.offered_pps / line_pps * 100 * lines if line_pps else None
    return Saturation(point.t_s, point.offered_pps, point.received_pps, percent)


def _points(samples: Sequence[Sample], channel: Channel) -> tuple[Point, ...]:
    line_pps = _line_pps(samples, channel)
    points = channel_points(samples, channel, phases=None)
    return tuple(
        _in_bits(point, sample.ports[channel.rx], line_pps) for point, sample in zip(points, samples, strict=True)
    )


def _in_bits(point: ChannelPoint, receiver: PortSample, line_pps: float | None) -> Point:
    line_percent = receiver.rx_util or (receiver.rx_pps / line_pps * 100 if line_pps else None)
    return Point(**vars(point), l2_bps=receiver.rx_bps, line_percent=line_percent)


def _line_pps(samples: Sequence[Sample], channel: Channel) -> float | None:
    """Packets a second that fill the line, from rate and utilisation: the sender's, else the receiver's.

    The median over the busier half, since a utilisation near zero is mostly rounding.
    """
    sender = [(sample.ports[channel.tx].tx_pps, sample.ports[channel.tx].tx_util) for sample in samples]
    receiver = [(sample.ports[channel.rx].rx_pps, sample.ports[channel.rx].rx_util) for sample in samples]
    for side in (sender, receiver):
        used = [(pps, util) for pps, util in side if pps > LEAST_USED and util > LEAST_USED]
        if used:
            busy = max(util for _, util in used) / 2
            return median(pps / util * 100 for pps, util in used if util >= busy)
    return None


def _sum(row: tuple[Point, ...]) -> Point:
    offered_pps = sum(point.offered_pps for point in row)
    missing_pps = sum(point.short_pps for point in row)
    return Point(
        t_s=row[0].t_s,
        phase=row[0].phase,
        offered_pps=offered_pps,
        received_pps=sum(point.received_pps for point in row),
        loss_ratio=missing_pps / offered_pps if offered_pps > 0 else 0.0,
        tester_pps=sum(point.tester_pps for point in row),
        l2_bps=sum(point.l2_bps for point in row),
        line_percent=_total([point.line_percent for point in row]),
    )


def _total(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
