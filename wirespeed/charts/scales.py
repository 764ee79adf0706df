"""Logarithmic axes with ticks that people read."""

from __future__ import annotations

import math
from collections.abc import Iterable

from wirespeed.charts.chart import LINEAR, Scale

LEAST_LOSS = 1e-7  # about one packet in a second of 64-byte frames at 10 Gb/s

LEAST_DECADES = 0.5
"""A logarithmic axis has two ticks or more."""


def loss_floor(ratios: Iterable[float], thresholds: Iterable[float]) -> float:
    """A decade below the least loss seen, and below the thresholds: where samples without loss are drawn."""
    least = min((ratio for ratio in (*thresholds, *ratios) if ratio > 0), default=LEAST_LOSS)
    return float(10.0 ** (math.floor(math.log10(max(LEAST_LOSS, least))) - 1))


def loss_scale(floor: float) -> Scale:
    """Decades of loss up to 100 %, above a `floor` that represents no loss."""
    lowest = round(math.log10(floor))
    decades = range(lowest + 1, 1)
    step = 1 + len(decades) // 6
    ticks = [exponent for exponent in decades if -exponent % step == 0]
    return Scale(
        logarithmic=True,
        low=10.0 ** (lowest - 0.15),
        high=10.0**0.15,
        floor=floor,
        ticks=(
            (floor, "none"),
            *((10.0**exponent, f"{100 * 10.0**exponent:.{max(0, -exponent - 2)}f} %") for exponent in ticks),
        ),
    )


def log_scale(values: Iterable[float]) -> Scale:
    """A logarithmic axis around the positive values, with steps of 1, 2 and 5 while there is room for them; a linear
    one where there are none."""
    positive = [value for value in values if value > 0]
    if not positive:
        return LINEAR
    low, high = math.log10(min(positive)), math.log10(max(positive))
    if (missing := LEAST_DECADES - (high - low)) > 0:
        low, high = low - missing / 2, high + missing / 2
    steps = (1, 2, 5) if high - low < 1.5 else (1, 3) if high - low < 3 else (1,)
    ticks = [step * 10.0**exponent for exponent in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return Scale(
        logarithmic=True,
        low=10 ** (low - 0.12),
        high=10 ** (high + 0.12),
        ticks=tuple((tick, f"{tick:,.0f}" if tick >= 1 else f"{tick:g}") for tick in ticks),
    )
