"""Samples of a tester that reads its sent and received counters at slightly different times.

T-Rex's readings are up to 4 ms apart. With 1 s samples, up to 0.4 % of the load then seem to be missing in one sample,
and too many in the next. Lost packets do not reappear, so the number of missing packets can decrease between two
readings only by the skew. The smallest skew that explains all decreases is taken as the tester's. Within it, the number
missing at each reading is unknown. The loss is therefore spread as evenly as possible: along the shortest line, over
the packets offered, that passes through the bounds of all readings, from 0 to the final loss (a taut string).

Two things follow. If nothing is missing at the end, the line is level, and no sample lost anything. And nothing is
hidden: the samples together lose as much as the whole test, so at least one of them lost as large a share. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import inf

from wirespeed.results.balance import Balance
from wirespeed.results.channel import Channel
from wirespeed.results.point import Point
from wirespeed.results.sample import Sample

MOST_SKEW_S = 0.005
"""Largest plausible skew. T-Rex's is 4 ms (v3.08, on the same machine); packets that arrive later than this were
delayed."""

_HALVINGS = 24
_PACKET = 1.0
"""Counters are whole: sums of rounded ones may be off by this much."""


@dataclass(frozen=True)
class _Reading:
    """After `offered` packets `missing` of them had not been seen to come back; each second of skew is `pps` more or
    less of them."""

    offered: float
    missing: float
    pps: float


def reads_at_one_instant(samples: Sequence[Sample], channel: Channel) -> bool:
    """True if the server reads all counters of a port at one instant. A server that counts the intended load does. Also
    True without counters, which have no skew."""
    senders = [sample.ports[channel.tx] for sample in samples]
    return all(port.intended is not None for port in senders) or any(port.opackets is None for port in senders)


def allow_for_skew(
    samples: Sequence[Sample], points: Sequence[Point], channel: Channel, balance: Balance | None = None
) -> tuple[Point, ...]:
    """`points` (the points of `channel` in all of `samples`) with the loss that the skew leaves certain.

    `balance` is that of the whole test after the drain, at rest and so without skew; without one the last sample counts
    as it was read.
    """
    if reads_at_one_instant(samples, channel):
        return tuple(points)
    loaded = _loaded(points)
    if not loaded:
        return tuple(points)
    readings = _readings(samples, points, channel, balance)
    lost = _taut([one.offered for one in readings], *_bounds(readings, _least_skew_s(readings)))
    extraneous = max(0.0, -_missing(samples, points, channel)[-1]) if balance is None else balance.extraneous
    evened = list(points)
    for place, index in enumerate(loaded):
        share = (readings[place + 1].offered - readings[place].offered) / readings[-1].offered
        evened[index] = _with_loss(points[index], max(0.0, lost[place + 1] - lost[place]), extraneous * share)
    return tuple(evened)


def estimated_skew_s(
    samples: Sequence[Sample], points: Sequence[Point], channel: Channel, balance: Balance | None = None
) -> float:
    """Seconds: the least skew that the counters of `channel` bear out, at most MOST_SKEW_S; 0 where the server reads
    them at one instant."""
    if reads_at_one_instant(samples, channel) or not _loaded(points):
        return 0.0
    return _least_skew_s(_readings(samples, points, channel, balance))


def _missing(samples: Sequence[Sample], points: Sequence[Point], channel: Channel) -> list[float]:
    """Missing packets at the end of each sample: test frames if signatures were counted, otherwise frames of any kind;
    negative if more were received than sent."""
    offered = accumulate(point.balance.offered for point in points)
    if _signed(samples, channel):
        return [sent - sample.test_frames[channel] for sent, sample in zip(offered, samples, strict=True)]
    return [sent - came for sent, came in zip(offered, accumulate(one.balance.received for one in points), strict=True)]


def _loaded(found: Sequence[Point]) -> list[int]:
    """Samples of which a packet was offered."""
    return [index for index, point in enumerate(found) if point.balance.offered >= _PACKET]


def _signed(samples: Sequence[Sample], channel: Channel) -> bool:
    return all(channel in sample.test_frames for sample in samples)


def _readings(
    samples: Sequence[Sample], points: Sequence[Point], channel: Channel, balance: Balance | None
) -> list[_Reading]:
    """The counts at the start, at the end of each sample with load, and after the drain. If in the end more frames were
    received than sent, the foreign frames are assumed to have arrived evenly."""
    offered = list(accumulate(point.balance.offered for point in points))
    missing = _missing(samples, points, channel)
    loaded = _loaded(points)
    rates = [points[index].offered_pps for index in loaded] + [0.0]
    readings = [_Reading(0.0, 0.0, 0.0)]
    for place, index in enumerate(loaded):
        readings.append(_Reading(offered[index], missing[index], max(rates[place], rates[place + 1])))
    if balance is not None:
        back = balance.test_frames if _signed(samples, channel) else balance.received
        # Packets that arrive after the last sample count after it.
        readings.append(_Reading(max(balance.offered, offered[loaded[-1]] + _PACKET), balance.offered - back, 0.0))
    else:
        readings[-1] = replace(readings[-1], pps=0.0)
    too_many = max(0.0, -readings[-1].missing) / readings[-1].offered
    return [replace(one, missing=one.missing + too_many * one.offered) for one in readings]


def _least_skew_s(readings: Sequence[_Reading]) -> float:
    """The least skew with which no packet comes back that was missing before, by halving."""
    if _explains(readings, 0.0):
        return 0.0
    low, high = 0.0, MOST_SKEW_S
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _explains(readings, middle) else (middle, high)
    return high


def _explains(readings: Sequence[_Reading], skew_s: float) -> bool:
    certain = -inf
    for one in readings:
        certain = max(certain, one.missing - skew_s * one.pps)
        if one.missing + skew_s * one.pps + _PACKET < certain:
            return False
    return True


def _bounds(readings: Sequence[_Reading], skew_s: float) -> tuple[list[float], list[float]]:
    """The least and the most that may have been missing at each reading. What stood before and after the load is known
    to the packet."""
    slack = [0.0, *(skew_s * one.pps + (_PACKET if skew_s else 0.0) for one in readings[1:-1]), 0.0]
    lows = [one.missing - width for one, width in zip(readings, slack, strict=True)]
    highs = [one.missing + width for one, width in zip(readings, slack, strict=True)]
    return lows, highs


def _taut(at: Sequence[float], lows: Sequence[float], highs: Sequence[float]) -> list[float]:
    """The shortest line from the first point to the last that stays within the bounds, at each of `at` (rising)."""
    line = [lows[0]]
    while len(line) < len(at):
        start = len(line) - 1
        steepest, flattest = inf, -inf
        bend_high = bend_low = bend = start + 1
        for place in range(start + 1, len(at)):
            run = at[place] - at[start]
            low, high = (lows[place] - line[start]) / run, (highs[place] - line[start]) / run
            if low > steepest:
                bend, slope = bend_high, steepest
                break
            if high < flattest:
                bend, slope = bend_low, flattest
                break
            if high <= steepest:
                steepest, bend_high = high, place
            if low >= flattest:
                flattest, bend_low = low, place
        else:
            bend, slope = len(at) - 1, flattest
        line += [line[start] + slope * (at[place] - at[start]) for place in range(start + 1, bend + 1)]
    return line


def _with_loss(point: Point, lost: float, extraneous: float) -> Point:
    """The point with `lost` packets and `extraneous` foreign frames."""
    old = point.balance
    came = old.offered - lost
    balance = replace(old, received=came + extraneous, extraneous=extraneous)
    received_pps = came / point.interval_s if point.interval_s > 0 else 0.0
    percent, returned = point.offered_line_percent, point.received_line_percent
    return replace(
        point,
        balance=balance,
        received_pps=received_pps,
        loss_ratio=balance.loss_ratio,
        line_percent=None if percent is None else percent * came / old.offered,
        received_line_percent=returned * received_pps / point.received_pps
        if returned and point.received_pps
        else returned,
        disturbed=point.disturbed if lost > 0 else None,
    )
