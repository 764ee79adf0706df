"""What is drawn alike on a whole page: a colour a device under test, a dash a direction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirespeed.charts.chart import DASHES, Dash
from wirespeed.charts.colours import colours_by_name
from wirespeed.measurement.loadtest.analysis import SUM, Analysis, Curve
from wirespeed.pages.duts import dut_name
from wirespeed.results.measurement import MeasurementResult

BOTH = "both"

Colours = Mapping[str, str]
"""By the name of a device."""


def colours_of(results: Iterable[MeasurementResult]) -> Colours:
    """By the devices' names alone, so that other files and reports show the same ones."""
    return colours_by_name(dut_name(result) for result in results)


def direction_of(test: Analysis, curve: Curve) -> str:
    """`0→1` of a test in one direction, `both 0→1` of one in several, as columns of the matrix are called."""
    return curve.channel if len(test.curves) == 1 else f"{BOTH} {curve.channel}"


def dashes_of(tests: Sequence[Analysis]) -> Mapping[str, Dash]:
    """By direction; sums are dotted."""
    names = dict.fromkeys(direction_of(test, curve) for test in tests for curve in test.directions)
    others = [dash for dash in DASHES if dash != "dot"]
    found: dict[str, Dash] = {name: others[number % len(others)] for number, name in enumerate(names)}
    return found | {f"{BOTH} {SUM}": "dot"}
