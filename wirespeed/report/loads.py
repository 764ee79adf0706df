"""Tests grouped by the load that they carried, and the results that stand beside a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import Load, load_of, load_with
from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.pages.duts import BESIDE
from wirespeed.results.measurement import MeasurementResult


@dataclass(frozen=True)
class Group:
    """The tests that carried the same load, in the order given."""

    load: Load
    tests: tuple[Analysis, ...]


def group_by_load(tests: Sequence[Analysis]) -> tuple[Group, ...]:
    """Groups in the order in which their loads first occur."""
    groups: list[Group] = []
    for test in tests:
        load = load_of_test(test)
        for index, group in enumerate(groups):
            if load.like(group.load):
                groups[index] = Group(group.load, (*group.tests, test))
                break
        else:
            groups.append(Group(load, (test,)))
    return tuple(groups)


def load_of_test(test: Analysis) -> Load:
    return load_with(test.result, test.frame_bytes)


def beside(test: Analysis, load: Load, results: Sequence[MeasurementResult]) -> list[MeasurementResult]:
    """Results of the same router, load and directions. Of routers without a name, the one that bears the name of the
    test."""
    return [
        result
        for result in results
        if load_of(result).like(load)
        and set(result.directions) == set(test.result.channels)
        and _same_dut(test, result)
    ]


def _same_dut(test: Analysis, other: MeasurementResult) -> bool:
    mine, its = test.result.dut.get("name"), other.dut.get("name")
    if mine is None and its is None:
        return other.name == f"{test.result.name}{BESIDE}"
    return bool(mine == its)
