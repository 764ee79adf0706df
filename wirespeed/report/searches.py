"""What searches say in words: how a goal is called, what set its bound, and which load test it goes with."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report.duts import BESIDE
from wirespeed.report.loads import Load, load_of_search
from wirespeed.results.analysis import Analysis
from wirespeed.results.figures import Scaler
from wirespeed.results.search import Goal, GoalOutcome, Limit, SearchResult

LIMITS: dict[Limit, str] = {
    "dut": "DUT",
    "tester": "tester",
    "machine": "machine: CPUs were away",
    "line": "line",
    "maximum": "highest load allowed",
    "minimum": "lost at the lowest load",
    "none": "not found out",
}

IRREGULAR = "◇", "irregular"


def load_name(search: SearchResult) -> str:
    return load_of_search(search).name


def goal_name(goal: Goal) -> str:
    """`NDR (loss ≤ 0 %)`."""
    return f"{goal.name.upper()} (loss ≤ {goal.loss_ratio * 100:g} %)"


def bounds_text(found: GoalOutcome, scaler: Scaler) -> str:
    """`7.770 to 7.808 Mpps`, `at least 14.881 Mpps`, `less than 0.009 Mpps`, `not found out`."""
    lower, upper = scaler.text(found.lower_pps), scaler.text(found.upper_pps)
    has_upper = found.upper_pps is not None and not found.is_at_least
    if found.lower_pps is None:
        return f"less than {upper} {scaler.unit}" if has_upper else "not found out"
    return f"{lower} to {upper} {scaler.unit}" if has_upper else f"at least {lower} {scaler.unit}"


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
