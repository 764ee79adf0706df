"""Cost of each node of a router's workers at some loads: the table of `show runtime`, from a result file."""

from __future__ import annotations

from collections.abc import Callable

from wirespeed.measurement.registry import report_of
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.dut import OUTSIDE, NodeRow
from wirespeed.results.figures import NOTHING, Scaler, fixed_text
from wirespeed.tables import Columns, Grid, grid, plain


def _count_of(name: str) -> Callable[[NodeRow], str]:
    return lambda row: NOTHING if row.node == OUTSIDE else str(getattr(row, name))


COLUMNS: Columns[NodeRow] = {
    "Worker": lambda row: row.worker,
    "Node": lambda row: row.node,
    "Calls": _count_of("calls"),
    "Vectors": _count_of("vectors"),
    "Suspends": _count_of("suspends"),
    "Clocks": lambda row: fixed_text(row.clocks_per_packet, 2),
    "Vectors/Call": lambda row: fixed_text(row.vectors_per_call, 2),
    "% of worker": lambda row: f"{row.share_percent:.2f}",
}


def all_rows(comparison: ReportedResults) -> list[NodeRow]:
    return [row for result in comparison.results for row in report_of(result.kind).node_rows(result)]


def nodes_to_markdown(comparison: ReportedResults, scaler: Scaler) -> str:
    """One table for each test and load, its title above it."""
    tables = [table for tables in node_tables(comparison, scaler).values() for table in tables]
    return "\n".join(f"{plain(one.label)}\n\n{one.markdown}" for one in tables) or "No result has node costs.\n"


def node_tables(comparison: ReportedResults, scaler: Scaler) -> dict[str, list[Grid]]:
    """The tables of each test, one per load."""
    by_load: dict[tuple[str, float], list[NodeRow]] = {}
    for row in all_rows(comparison):
        by_load.setdefault((row.test, row.offered_pps), []).append(row)
    tables: dict[str, list[Grid]] = {}
    for (test, offered_pps), rows in by_load.items():
        title = f"{test} at {scaler.text(offered_pps)} {scaler.unit} offered"
        tables.setdefault(test, []).append(grid(title, COLUMNS, rows, texts=2))
    return tables
