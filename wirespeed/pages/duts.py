"""Name of a result's device."""

from __future__ import annotations

from collections.abc import Iterable

from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.subjects import UNNAMED

BESIDE = "-search"
"""Suffix that the demo adds to the name of a load test's file for the search that follows it."""


def dut_name(result: MeasurementResult) -> str:
    """Name of the device in the file. Unnamed devices may differ, so the name of the test is added."""
    return words(result.dut.name) if result.dut.name else f"{UNNAMED} ({result.name.removesuffix(BESIDE)})"


def edition(result: MeasurementResult) -> str:
    """Version of the device and day of the test: `version 1.4, 2026-11-14`; unknown parts are omitted."""
    version = f"version {words(result.dut.version)}" if result.dut.version else ""
    return ", ".join(filter(None, (version, result.ending.started[:10])))


def editions(results: Iterable[MeasurementResult], *, days: bool = False) -> dict[str, str]:
    """By the names of results, what tells the tests of one device apart: its versions, otherwise the days; empty where
    neither differs. With `days` also the days where both differ."""
    by_dut: dict[str, dict[str, tuple[str, str]]] = {}
    for result in results:
        edition = (words(result.dut.version), result.ending.started[:10])
        by_dut.setdefault(dut_name(result), {})[result.name] = edition
    named: dict[str, str] = {}
    for tests in by_dut.values():
        places = [place for place in (0, 1) if len({told[place] for told in tests.values()}) > 1]
        shown = places if days else places[:1]
        named |= {name: ", ".join(filter(None, (told[place] for place in shown))) for name, told in tests.items()}
    return named
