"""Panels below load and loss that need more than one figure of the router: latency, and its most expensive nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.chart import DASHES, Dash, Rule
from wirespeed.charts.latency_floor import latency_floors
from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.measurement.loadtest.nodes import dearest
from wirespeed.results.sample import Latency

QUANTITIES = ("average", "99 %", "maximum")


@dataclass(frozen=True)
class PanelLine:
    """One line of a panel. A dot has: whether its load was held, the offered pps of a channel, the value."""

    test: str
    label: str
    dash: Dash
    dots: tuple[tuple[bool, float, float], ...]


@dataclass(frozen=True)
class MorePanel:
    title: str
    unit: str
    lines: tuple[PanelLine, ...]
    floors: tuple[Rule, ...] = ()


def more_panels(tests: Sequence[Analysis]) -> list[MorePanel]:
    """Panels for which at least one test has data."""
    latency = MorePanel(
        "latency (µs): average, 99 % dashed, maximum dotted",
        "µs",
        tuple(line for test in tests for line in _latency(test)),
        tuple(floor for test in tests for floor in latency_floors(test.result, test.result.channels)),
    )
    nodes = MorePanel(
        "cycles / packet of the most expensive nodes",
        "cycles / packet",
        tuple(
            PanelLine(test.result.name, curve.node, DASHES[number % len(DASHES)], curve.dots)
            for test in tests
            for number, curve in enumerate(dearest(test))
        ),
    )
    return [panel for panel in (latency, nodes) if any(line.dots for line in panel.lines)]


def _latency(test: Analysis) -> list[PanelLine]:
    lines = []
    for channel, curve in zip(test.result.channels, test.directions, strict=True):
        for quantity, dash in zip(QUANTITIES, DASHES, strict=False):
            dots = tuple(
                (point.phase != "ramp", point.offered_pps, value)
                for point, sample in zip(curve.points, test.result.samples, strict=True)
                if point.measured and (value := _value(sample.latency.get(channel), quantity)) is not None
            )
            if dots:
                lines.append(PanelLine(test.result.name, f"{channel} {quantity}", dash, dots))
    return lines


def _value(latency: Latency | None, quantity: str) -> float | None:
    if latency is None or not latency.packets:
        return None
    if quantity == "99 %":
        return latency.percentiles.get("99")
    return latency.average_us if quantity == "average" else latency.max_us
