"""The matrix and the tables of nodes as the page's templates take them."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.report.comparison import Comparison
from wirespeed.report.matrix import Cell, Matrix
from wirespeed.report.matrix_text import cell_text, heading, legend, marks
from wirespeed.report.nodes import HEADINGS, all_rows, cells
from wirespeed.results.figures import Scaler


@dataclass(frozen=True)
class MatrixCell:
    """`links` are (text, where the chart stands) of each test."""

    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class MatrixView:
    """`legend` explains the marks in it."""

    corner: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[MatrixCell, ...]], ...]
    legend: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class NodeTable:
    """What the nodes of one test cost at one load."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def matrix_view(found: Matrix, scaler: Scaler) -> MatrixView:
    def cell(cells: tuple[Cell, ...]) -> MatrixCell:
        return MatrixCell(tuple((cell_text(one, scaler) + marks(one), one.anchor) for one in cells))

    return MatrixView(
        corner=f"{scaler.unit} (% of line)",
        headings=tuple(heading(column) for column in found.columns),
        rows=tuple((label, tuple(map(cell, row))) for label, row in zip(found.labels, found.cells, strict=True)),
        legend=legend(found),
    )


def node_tables(comparison: Comparison, scaler: Scaler) -> tuple[NodeTable, ...]:
    rows = all_rows(comparison)
    return tuple(
        NodeTable(
            f"{test} at {scaler.text(offered_pps)} {scaler.unit} offered",
            HEADINGS,
            tuple(cells(row) for row in rows if (row.test, row.offered_pps) == (test, offered_pps)),
        )
        for test, offered_pps in dict.fromkeys((row.test, row.offered_pps) for row in rows)
    )
