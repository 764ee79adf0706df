"""Names of goals, bounds of goals as text, and the searches that go with a load test."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.measurement.search.result import SearchResult
from wirespeed.report.duts import BESIDE
from wirespeed.report.loads import Load, load_of_search
from wirespeed.results.figures import Scaler
from wirespeed.results.search_trial import Goal
from wirespeed.results.verdict import Figure

IRREGULAR = "◇", "irregular"


def load_name(search: SearchResult) -> str:
    return load_of_search(search).name


def goal_name(goal: Goal) -> str:
    """`NDR (loss ≤ 0 %)`."""
    return f"{goal.name.upper()} (loss ≤ {goal.loss_ratio * 100:g} %)"


def bounds_text(figure: Figure, scaler: Scaler) -> str:
    """`7.77 to 7.81 Mpps`, `≥ 14.9 Mpps (tester-limited)`; why there is no load, where none was found."""
    if not figure.is_measured:
        return figure.why
    return f"{figure.scaled(scaler)} {scaler.unit}" + (f" ({figure.bound})" if figure.bound else "")


def searches_of(test: Analysis, load: Load, searches: Sequence[SearchResult]) -> list[SearchResult]:
    """Those of the same test: same router, same load, same directions. Of routers without a name, the search that bears
    the name of the test."""
    return [
        search
        for search in searches
        if load_of_search(search).like(load)
        and set(search.directions) == set(test.result.channels)
        and _same_dut(test, search)
    ]


def _same_dut(test: Analysis, search: SearchResult) -> bool:
    mine, other = test.result.dut.get("name"), search.dut.get("name")
    if mine is None and other is None:
        return search.name == f"{test.result.name}{BESIDE}"
    return bool(mine == other)
