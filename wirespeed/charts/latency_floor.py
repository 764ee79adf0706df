"""The baseline latency of the port type, the lower bound of every measurement."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.charts.chart import Rule, short
from wirespeed.results.channel import Channel
from wirespeed.results.measurement import MeasurementResult


def latency_floors(result: MeasurementResult, directions: Sequence[Channel]) -> tuple[Rule, ...]:
    """Medians by direction, microseconds, where the tester measured them before the test."""
    floors = result.lab.latency_baseline
    return tuple(
        Rule(f"{result.name} {channel} without the DUT", short(float(median)))
        for channel in map(str, directions)
        if channel in floors and (median := floors[channel].median_us) is not None and 0 <= median < 1e9
    )
