"""Name of a result's device."""

from __future__ import annotations

from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult

BESIDE = "-search"
"""Suffix that the demo adds to the name of a load test's file for the search that follows it."""


def dut_name(result: MeasurementResult) -> str:
    """Name of the device in the file; otherwise that of the test, since unnamed devices may differ."""
    return words(result.dut.name or result.name.removesuffix(BESIDE))
