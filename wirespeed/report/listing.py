"""The tables of all kinds of result as markdown, CSV and JSON: a kind a table, and in CSV one table of them all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from wirespeed.measurement.registry import report_of
from wirespeed.report import table
from wirespeed.report.comparison import Comparison
from wirespeed.results.figures import Scaler
from wirespeed.tables import csv_text, json_text

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
    kinds: dict[str, Sequence[Any]] = {LOAD_TESTS: table.rows(comparison)}
    for kind, results in comparison.others.items():
        kinds |= report_of(kind).rows(results)
    return {kind: [asdict(row) for row in rows] for kind, rows in kinds.items() if rows}


def _blocks(comparison: Comparison, scaler: Scaler) -> Iterator[str]:
    if comparison.tests:
        yield f"## Load tests\n\n{table.to_markdown(comparison, scaler)}"
    for kind, results in comparison.others.items():
        yield from report_of(kind).markdown(results, scaler)
