"""What the device of a result is called."""

from __future__ import annotations

from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult

BESIDE = "-search"
"""What the demo adds to the name of a load test's file for the search that follows it."""


def dut_name(result: MeasurementResult) -> str:
    """What the file calls its device; else the test, since tests that name none may be of different ones."""
    return words(result.dut.name or result.name.removesuffix(BESIDE))
