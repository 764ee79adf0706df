"""The tables of all kinds of result as markdown, CSV and JSON: a kind a table, and in CSV one table of them all."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from wirespeed.measurement.registry import kinds, report_of
from wirespeed.measurement.reported import ReportedKind
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.figures import Scaler
from wirespeed.tables import csv_text, json_text, rows_csv


def to_markdown(comparison: ReportedResults, scaler: Scaler) -> str:
    """A table a kind, under a heading each; of the kind that leads alone, the table."""
    shown = comparison.shown(scaler)
    if (lead := _lead_alone(comparison)) is not None:
        tables = lead.tables(comparison.results, shown)
        return "".join(table.markdown for table in tables)
    found = (report_of(kind).markdown(results, shown) for kind, results in comparison.kinds.items())
    return "\n".join(text for texts in found for text in texts)


def to_csv(comparison: ReportedResults) -> str:
    """Rows of the kind that leads alone, or of all kinds with the `kind` first; cells that a kind has not are empty."""
    if (lead := _lead_alone(comparison)) is not None:
        ((name, rows),) = lead.rows(comparison.results, comparison.shown()).items()
        return rows_csv(lead.row_kinds[name][0], rows)
    tables = _rows_of_kinds(comparison)
    columns = dict.fromkeys(column for rows in tables.values() for row in rows for column in row)
    return csv_text(["kind", *columns], ({"kind": kind, **row} for kind, rows in tables.items() for row in rows))


def to_json(comparison: ReportedResults, title: str) -> str:
    """`rows` of the kind that leads, and a list for each other table that there is."""
    tables = _rows_of_kinds(comparison)
    (lead,) = _leading().row_kinds
    document = {
        "title": title,
        "rows": tables.pop(lead, []),
        **{f"{name.replace(' ', '_')}_rows": rows for name, rows in tables.items()},
        "verdicts": {name: verdict.to_json() for name, verdict in comparison.verdicts.items()},
        "warnings": [remark.sentence for remark in comparison.remarks],
    }
    return json_text(document)


def _leading() -> ReportedKind[Any]:
    return next(shown for shown in map(report_of, kinds()) if shown.leads)


def _lead_alone(comparison: ReportedResults) -> ReportedKind[Any] | None:
    """The kind that leads, where there is no other one."""
    return _leading() if all(report_of(kind).leads for kind in comparison.kinds) else None


def _rows_of_kinds(comparison: ReportedResults) -> dict[str, list[dict[str, Any]]]:
    """Plain values by table; tables without rows are left out."""
    shown = comparison.shown()
    found = (report_of(kind).rows(results, shown) for kind, results in comparison.kinds.items())
    return {name: [asdict(row) for row in rows] for tables in found for name, rows in tables.items() if rows}
