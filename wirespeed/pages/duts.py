"""Name of a result's device."""

from __future__ import annotations

from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.subjects import UNNAMED

BESIDE = "-search"
"""Suffix that the demo adds to the name of a load test's file for the search that follows it."""


def dut_name(result: MeasurementResult) -> str:
    """Name of the device in the file. Unnamed devices may differ, so the test's name stands beside the word."""
    return words(result.dut.name) if result.dut.name else f"{UNNAMED} ({result.name.removesuffix(BESIDE)})"
