"""Cost of each node of a router's workers at some loads: the table of `show runtime`, from a result file."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.measurement.registry import report_of
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.dut import OUTSIDE, NodeRow
from wirespeed.results.figures import NOTHING, Scaler
from wirespeed.tables import aligned, plain

HEADINGS = ("Worker", "Node", "Calls", "Vectors", "Suspends", "Clocks", "Vectors/Call", "% of worker")


@dataclass(frozen=True)
class NodeTable:
    """Cost of the nodes of one test at one load."""

    test: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def all_rows(comparison: ReportedResults) -> list[NodeRow]:
    return [row for result in comparison.results for row in report_of(result.kind).node_rows(result)]


def nodes_to_markdown(comparison: ReportedResults, scaler: Scaler) -> str:
    """One table for each test and load, its title above it."""
    rows, parts = all_rows(comparison), []
    for test, offered_pps in dict.fromkeys((row.test, row.offered_pps) for row in rows):
        chosen = [row for row in rows if (row.test, row.offered_pps) == (test, offered_pps)]
        table = aligned([HEADINGS, *(cells(row) for row in chosen)], range(2, 8))
        parts.append(f"{plain(test)} at {scaler.text(offered_pps)} {scaler.unit} offered\n\n{table}")
    return "\n".join(parts) if parts else "No result has node costs.\n"


def cells(row: NodeRow) -> tuple[str, ...]:
    """The row as text, to go with HEADINGS."""
    inside = row.node != OUTSIDE
    return (
        row.worker,
        row.node,
        *(str(count) if inside else NOTHING for count in (row.calls, row.vectors, row.suspends)),
        NOTHING if row.clocks_per_packet is None else f"{row.clocks_per_packet:.2f}",
        NOTHING if row.vectors_per_call is None else f"{row.vectors_per_call:.2f}",
        f"{row.share_percent:.2f}",
    )


def node_tables(comparison: ReportedResults, scaler: Scaler) -> tuple[NodeTable, ...]:
    rows = all_rows(comparison)
    return tuple(
        NodeTable(
            test,
            f"{test} at {scaler.text(offered_pps)} {scaler.unit} offered",
            HEADINGS,
            tuple(cells(row) for row in rows if (row.test, row.offered_pps) == (test, offered_pps)),
        )
        for test, offered_pps in dict.fromkeys((row.test, row.offered_pps) for row in rows)
    )
