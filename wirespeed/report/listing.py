"""The tables of all kinds of result as markdown, CSV and JSON: a kind a table, and in CSV one table of them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from wirespeed.measurement.rfc2544.text import text_block
from wirespeed.measurement.soak.words import verdict_text
from wirespeed.report import table
from wirespeed.report.comparison import Comparison
from wirespeed.report.rfc2544_rows import benchmark_rows
from wirespeed.report.search_rows import (
    GOAL_TEXTS,
    LATENCY_TEXTS,
    MRR_TEXTS,
    goal_cells,
    goal_headings,
    goal_rows,
    latency_cells,
    latency_headings,
    latency_rows,
    mrr_cells,
    mrr_headings,
    mrr_rows,
)
from wirespeed.report.soak_rows import SOAK_TEXTS, soak_cells, soak_headings, soak_rows
from wirespeed.results.figures import Scaler
from wirespeed.tables import aligned, csv_text, json_text, plain

LOAD_TESTS = "load test"
"""What the rows of load tests are called among those of other kinds."""


def to_markdown(comparison: Comparison, scaler: Scaler) -> str:
    """A table a kind, under a heading each where there are others than load tests."""
    if not comparison.others:
        return table.to_markdown(comparison, scaler)
    return "\n".join(_blocks(comparison, scaler))


def to_csv(comparison: Comparison) -> str:
    """Rows of load tests alone, or of all kinds with the `kind` first; cells that a kind has not are empty."""
    if not comparison.others:
        return table.to_csv(table.rows(comparison))
    kinds = _rows_of_kinds(comparison)
    columns = dict.fromkeys(column for rows in kinds.values() for row in rows for column in row)
    return csv_text(["kind", *columns], ({"kind": kind, **row} for kind, rows in kinds.items() for row in rows))


def to_json(comparison: Comparison, title: str) -> str:
    """`rows` of load tests, and a list for each other kind that there is."""
    if not comparison.others:
        return table.to_json(comparison, title)
    kinds = _rows_of_kinds(comparison)
    document = {
        "title": title,
        "rows": kinds.pop(LOAD_TESTS, []),
        **{f"{kind.replace(' ', '_')}_rows": rows for kind, rows in kinds.items()},
        "verdicts": table.verdicts_object(comparison),
        "warnings": [remark.sentence for remark in comparison.remarks],
    }
    return json_text(document)


def _rows_of_kinds(comparison: Comparison) -> dict[str, list[dict[str, Any]]]:
    """Plain values by kind; kinds that have none are left out."""
    kinds: dict[str, Sequence[Any]] = {
        LOAD_TESTS: table.rows(comparison),
        "goal": goal_rows(comparison.searches),
        "mrr": mrr_rows(comparison.searches),
        "latency": latency_rows(comparison.searches),
        "rfc2544": benchmark_rows(comparison.suites),
        "soak": soak_rows(comparison.soaks),
    }
    return {kind: [asdict(row) for row in rows] for kind, rows in kinds.items() if rows}


def _blocks(comparison: Comparison, scaler: Scaler) -> Iterator[str]:
    searches = comparison.searches
    if comparison.tests:
        yield f"## Load tests\n\n{table.to_markdown(comparison, scaler)}"
    found = [goal_cells(search, one, scaler) for search in searches for one in search.goals]
    if found:
        yield _block("Searches", goal_headings(scaler), found, GOAL_TEXTS, 2)
    rates = [mrr_cells(row, scaler) for row in mrr_rows(searches)]
    if rates:
        yield _block("Maximum receive rate", mrr_headings(scaler), rates, MRR_TEXTS)
    times = [latency_cells(row, scaler) for row in latency_rows(searches)]
    if times:
        yield _block("Latency at shares of the load found", latency_headings(scaler), times, LATENCY_TEXTS)
    yield from (text_block(suite) for suite in comparison.suites)
    if comparison.soaks:
        cells = [soak_cells(row, scaler) for row in soak_rows(comparison.soaks)]
        said = "".join(f"\n{plain(soak.name)}: {plain(verdict_text(soak.verdict))}\n" for soak in comparison.soaks)
        yield _block("Soaks", soak_headings(scaler), cells, SOAK_TEXTS, 1) + said


def _block(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], texts: int, remarks: int = 0) -> str:
    return f"## {title}\n\n{aligned([head, *rows], range(texts, len(head) - remarks))}"
