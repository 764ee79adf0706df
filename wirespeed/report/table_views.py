"""The matrix and the tables of nodes as the page's templates take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.report.comparison import Comparison
from wirespeed.report.limits import LIMIT_WORDS
from wirespeed.report.matrix import Cell, Matrix
from wirespeed.report.matrix_text import cell_share, heading, legend
from wirespeed.report.nodes import HEADINGS, all_rows, cells
from wirespeed.results.figures import Scaler


@dataclass(frozen=True)
class MatrixFigure:
    """A figure of `test`, whose chart is at `anchor`: `rate` in the table's unit and `share` of the line, how far a bar
    reaches, a path that shows the ramp, what limited it, and in words all of that."""

    rate: str
    share: str
    mark: str
    filled_percent: str
    spark: str
    limit: str
    title: str
    anchor: str
    test: str
    colour: str


@dataclass(frozen=True)
class MatrixView:
    """`legend` explains the marks in it; a cell has a figure a test, `limits` are those that occur."""

    corner: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[MatrixFigure, ...], ...]], ...]
    legend: tuple[tuple[str, str], ...]
    limits: tuple[str, ...]


@dataclass(frozen=True)
class NodeTable:
    """What the nodes of one test cost at one load."""

    test: str
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def matrix_view(found: Matrix, scaler: Scaler, colours: Mapping[str, str]) -> MatrixView:
    rows = tuple(
        (
            label,
            tuple(
                tuple(_figure(cell, column.dut, scaler, colours) for cell in cells)
                for cells, column in zip(row, found.columns, strict=True)
            ),
        )
        for label, row in zip(found.labels, found.cells, strict=True)
    )
    used = {figure.limit for _, row in rows for cells in row for figure in cells}
    return MatrixView(
        corner=f"{scaler.unit} (share)",
        headings=tuple(heading(column) for column in found.columns),
        rows=rows,
        legend=legend(found),
        limits=tuple(word for word in LIMIT_WORDS.values() if word in used),
    )


def _figure(cell: Cell, dut: str, scaler: Scaler, colours: Mapping[str, str]) -> MatrixFigure:
    figure = cell.figure
    return MatrixFigure(
        rate=figure.scaled(scaler),
        share=cell_share(cell),
        mark=cell.marks,
        filled_percent=f"{figure.line_percent or 0.0:.1f}",
        spark=cell.spark,
        limit=LIMIT_WORDS[cell.limited_by],
        title=f"{cell.test}: {cell.sentence}",
        anchor=cell.anchor,
        test=cell.test,
        colour=colours.get(dut, ""),
    )


def node_tables(comparison: Comparison, scaler: Scaler) -> tuple[NodeTable, ...]:
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
