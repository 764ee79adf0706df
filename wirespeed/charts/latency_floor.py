"""The medium's own latency, which no measurement can be below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from wirespeed.charts.chart import Rule, short
from wirespeed.results.channel import Channel
from wirespeed.results.measurement import MeasurementResult


def latency_floors(result: MeasurementResult, directions: Sequence[Channel]) -> tuple[Rule, ...]:
    """Medians by direction, microseconds, where the tester measured them before the test."""
    told: Any = result.lab.get("latency_floor")
    if not isinstance(told, Mapping):
        return ()
    return tuple(
        Rule(f"{result.name} {channel} without the router", short(float(median)))
        for channel in map(str, directions)
        if isinstance(told.get(channel), Mapping)
        and isinstance(median := told[channel].get("median_us"), int | float)
        and 0 <= median < 1e9
    )
