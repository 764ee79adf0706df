"""The two figures of a load test: the highest load within the threshold, and the rate forwarded at full load. Pure.

Each is a mean over several samples. A hold or a step is one load, so all its samples count. In a ramp each sample has
another load, so a figure is the mean of NEIGHBOURS samples, and an estimate. Disturbed samples are excluded; a hold or
step with fewer than half of its samples left counts as not measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum

from wirespeed.results.balance import Balance
from wirespeed.results.outcome import LoadPoint
from wirespeed.results.point import Point, known_sum
from wirespeed.units import l1_bits

NEIGHBOURS = 3
"""Samples of a ramp in one mean; fewer where loss sets in before as many have passed."""

LEAST_LEFT = 0.5
"""Share of a hold's or a step's samples that must be undisturbed."""

_SAME_LOAD = 0.02
_MOST_GAPS = 2
"""A mean over a ramp spans at most this many times its samples, disturbed ones between them included."""


@dataclass(frozen=True)
class Chosen:
    """Samples that make a figure, by their places among the points of a test."""

    places: tuple[int, ...]
    is_estimate: bool


def forwarded_samples(
    points: Sequence[Point], threshold: float, *, disturbed: frozenset[float], loss_onset_s: float | None
) -> Chosen | None:
    """The samples of the highest load that lost at most `threshold` in the mean, before loss persists from the sample
    at `loss_onset_s` on. `disturbed` are the times of samples that make no figure."""
    end_s = math.inf if loss_onset_s is None else loss_onset_s
    best: tuple[float, Chosen] | None = None
    for chosen in _candidates(points, end_s, disturbed):
        window = [points[place] for place in chosen.places]
        received = _mean(window, "received_pps")
        if received > 0 and loss_of(window) <= threshold and (best is None or received > best[0]):
            best = received, chosen
    return best[1] if best else None


def full_load_samples(points: Sequence[Point], *, disturbed: frozenset[float], complete: bool) -> Chosen | None:
    """The samples of the hold; of a test by steps, those of its highest step; of a ramp without a hold that ran to its
    end, the last NEIGHBOURS. None where too many of them are disturbed."""
    measured = [place for place, point in enumerate(points) if point.measured]
    held = [place for place in measured if points[place].phase == "hold"]
    if held:
        return _whole(held, points, disturbed)
    steps = list(_steps(points, measured))
    if steps:
        return _whole(max(steps, key=lambda step: points[step[0]].offered_pps), points, disturbed)
    return _whole(measured[-NEIGHBOURS:], points, disturbed, is_estimate=True) if complete and measured else None


def mean_load(points: Sequence[Point], chosen: Chosen, balance: Balance | None = None) -> LoadPoint:
    """The mean of one direction over the chosen samples; `balance` says how much the whole test lost at most.

    What a clock or a tester that catches up adds above the line is taken off the rates, so that rate, L1 rate and
    percentage agree.
    """
    window = [points[place] for place in chosen.places]
    offered, loss = _mean(window, "offered_pps"), loss_of(window)
    packets = offered * fsum(point.interval_s for point in window)
    if balance is not None and packets > 0:
        loss = min(loss, max(0.0, balance.lost) / packets)
    sized = all(point.frame_bytes for point in window)
    l1_bps = (
        fsum(point.received_pps * l1_bits(point.frame_bytes or 0.0) * point.interval_s for point in window)
        / fsum(point.interval_s for point in window)
        if sized
        else None
    )
    mean = LoadPoint(
        t_s=window[-1].t_s,
        offered_pps=offered,
        received_pps=_mean(window, "received_pps"),
        offered_percent=_known_mean(window, "offered_line_percent"),
        received_percent=_known_mean(window, "line_percent"),
        loss_ratio=loss,
        l1_bps=l1_bps,
        samples=len(window),
        is_estimate=chosen.is_estimate,
        low_pps=min(point.received_pps for point in window),
        high_pps=max(point.received_pps for point in window),
    )
    return _within_line(mean, 100.0 * window[-1].lines)


def together(loads: Sequence[LoadPoint]) -> LoadPoint:
    """The loads of several directions over the same samples as one; percentages add up to that of their lines."""
    offered = fsum(load.offered_pps for load in loads)
    lost = fsum(load.loss_ratio * load.offered_pps for load in loads)
    return replace(
        loads[0],
        offered_pps=offered,
        received_pps=fsum(load.received_pps for load in loads),
        offered_percent=known_sum([load.offered_percent for load in loads]),
        received_percent=known_sum([load.received_percent for load in loads]),
        loss_ratio=lost / offered if offered > 0 else 0.0,
        l1_bps=known_sum([load.l1_bps for load in loads]),
        low_pps=known_sum([load.low_pps for load in loads]),
        high_pps=known_sum([load.high_pps for load in loads]),
    )


def loss_of(window: Sequence[Point]) -> float:
    """The share of all packets offered in the window that was lost."""
    offered = fsum(point.offered_pps * point.interval_s for point in window)
    lost = fsum(point.loss_ratio * point.offered_pps * point.interval_s for point in window)
    return lost / offered if offered > 0 else 0.0


def _candidates(points: Sequence[Point], end_s: float, disturbed: frozenset[float]) -> Iterator[Chosen]:
    """Sets of samples that end before `end_s`."""
    measured = [place for place, point in enumerate(points) if point.measured]
    hold = [place for place in measured if points[place].phase == "hold"]
    for load in filter(None, (hold, *_steps(points, measured))):
        if points[load[-1]].t_s < end_s and (chosen := _whole(load, points, disturbed)) is not None:
            yield chosen
    ramp = [place for place in measured if points[place].phase not in ("hold", "step") and points[place].t_s < end_s]
    clean = [place for place in ramp if points[place].t_s not in disturbed]
    size = min(NEIGHBOURS, len(clean))
    if not size or (size < NEIGHBOURS and len(clean) < len(ramp)):
        return
    for start in range(len(clean) - size + 1):
        window = clean[start : start + size]
        if window[-1] - window[0] < _MOST_GAPS * size:
            yield Chosen(tuple(window), is_estimate=True)


def _steps(points: Sequence[Point], places: Sequence[int]) -> Iterator[list[int]]:
    """The samples of each step, grouped by intended or otherwise by offered load."""
    step: list[int] = []
    for place in places:
        if points[place].phase != "step":
            continue
        if step and abs(_asked(points[place]) - _asked(points[step[0]])) > _SAME_LOAD * _asked(points[step[0]]):
            yield step
            step = []
        step.append(place)
    if step:
        yield step


def _asked(point: Point) -> float:
    intended = point.balance.intended
    return point.offered_pps if intended is None or point.interval_s <= 0 else intended / point.interval_s


def _whole(
    places: Sequence[int], points: Sequence[Point], disturbed: frozenset[float], *, is_estimate: bool = False
) -> Chosen | None:
    """One load's samples without the disturbed ones; None where too few are left."""
    clean = [place for place in places if points[place].t_s not in disturbed]
    if not clean or len(clean) < LEAST_LEFT * len(places):
        return None
    return Chosen(tuple(clean), is_estimate)


def _within_line(load: LoadPoint, most_percent: float) -> LoadPoint:
    if load.received_percent is None or load.received_percent <= most_percent:
        return load
    factor = most_percent / load.received_percent
    return replace(
        load,
        offered_pps=load.offered_pps * factor,
        received_pps=load.received_pps * factor,
        offered_percent=None if load.offered_percent is None else load.offered_percent * factor,
        received_percent=most_percent,
        l1_bps=None if load.l1_bps is None else load.l1_bps * factor,
        low_pps=None if load.low_pps is None else load.low_pps * factor,
        high_pps=None if load.high_pps is None else load.high_pps * factor,
    )


def _mean(window: Sequence[Point], attribute: str) -> float:
    return fsum(getattr(point, attribute) * point.interval_s for point in window) / fsum(
        point.interval_s for point in window
    )


def _known_mean(window: Sequence[Point], attribute: str) -> float | None:
    """None where a sample does not say."""
    return None if any(getattr(point, attribute) is None for point in window) else _mean(window, attribute)
