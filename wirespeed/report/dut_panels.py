"""The router's own account of a test: what a packet cost it, and how many it took at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

from wirespeed.report.layout import log_axis
from wirespeed.results.analysis import Analysis

MOST_DRAWN = 1e18


@dataclass(frozen=True)
class Quantity:
    """A key of `Sample.dut`, its unit in words, and its line style."""

    key: str
    words: str
    dash: str = "solid"


@dataclass(frozen=True)
class Panel:
    """Quantities that share a y axis."""

    title: str
    quantities: tuple[Quantity, ...]
    logarithmic: bool = False


PANELS = (
    # An idle worker polls all the time and its polls are paid by few packets: from 10 000 cycles down to a few hundred.
    Panel(
        "<b>cycles / packet</b>, dotted without polling",
        (
            Quantity("cycles_per_packet", "cycles / packet"),
            Quantity("cycles_per_packet_without_input", "cycles / packet without polling", "dot"),
        ),
        logarithmic=True,
    ),
    Panel("<b>vectors / call</b>", (Quantity("vectors_per_call", "vectors / call"),)),
    Panel("<b>power</b> (W)", (Quantity("watts", "W"),)),
)


@dataclass(frozen=True)
class Reading:
    """What the router said of one sample; `offered_pps` is the mean of its channels."""

    held: bool
    offered_pps: float
    value: float


def values(test: Analysis, quantity: Quantity) -> list[Reading]:
    """A reading of every ramp and hold sample that carries a number.

    A router has one cost for all its channels, so there is one curve a test.
    """
    total = test.curves[-1]
    pairs = zip(total.points, test.result.samples, strict=True)
    found = [
        (point.phase != "ramp", point.offered_pps / total.lines, sample.dut.get(quantity.key))
        for point, sample in pairs
        if point.measured
    ]
    return [Reading(held, pps, float(value)) for held, pps, value in found if _is_number(value)]


def panels_of(tests: tuple[Analysis, ...]) -> list[Panel]:
    """The panels that any of the tests has something for."""
    return [panel for panel in PANELS if any(values(test, quantity) for test in tests for quantity in panel.quantities)]


def axis(panel: Panel, tests: tuple[Analysis, ...]) -> dict[str, Any]:
    """What the y axis of a panel needs beyond the usual; a logarithmic one spans the positive values."""
    seen = [
        one.value for test in tests for quantity in panel.quantities for one in values(test, quantity) if one.value > 0
    ]
    return log_axis(min(seen), max(seen)) if panel.logarithmic and seen else {}


def _is_number(value: Any) -> TypeGuard[float]:
    """Whether it can be drawn: telemetry comes from the file as it is."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < MOST_DRAWN
