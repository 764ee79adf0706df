"""All figures of load tests, a row per direction, as the page's template takes them."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.measurement.loadtest.analysis import SUM
from wirespeed.report.comparison import Comparison
from wirespeed.report.table import (
    FIRST_FIGURE_COLUMN,
    LAST_FIGURE_COLUMN,
    PERCENT_COLUMN,
    Line,
    cells,
    headings,
    sort_keys,
    table_lines,
)
from wirespeed.results.figures import NOTHING, Scaler


@dataclass(frozen=True)
class Heading:
    """A column of the table; `kind` is text or figure."""

    text: str
    kind: str


@dataclass(frozen=True)
class Cell:
    """`sort_key` is empty where nothing is known; `filled_percent` is the length of a bar behind the text."""

    text: str
    kind: str
    sort_key: str
    filled_percent: str | None


@dataclass(frozen=True)
class SummaryRow:
    test: str
    cells: tuple[Cell, ...]
    is_sum: bool


@dataclass(frozen=True)
class Summary:
    headings: tuple[Heading, ...]
    rows: tuple[SummaryRow, ...]


def summary(comparison: Comparison, scaler: Scaler) -> Summary:
    columns = headings(comparison, scaler)
    return Summary(
        headings=tuple(Heading(text, _kind(index)) for index, text in enumerate(columns)),
        rows=tuple(
            SummaryRow(line.row.test, _cells(line, scaler), line.row.channel == SUM) for line in table_lines(comparison)
        ),
    )


def _cells(line: Line, scaler: Scaler) -> tuple[Cell, ...]:
    filled = f"{line.held.line_percent or 0.0:.1f}"
    return tuple(
        Cell(
            text=text,
            kind=_kind(index),
            sort_key="" if key is None else str(key),
            filled_percent=filled if index == PERCENT_COLUMN and text != NOTHING else None,
        )
        for index, (key, text) in enumerate(zip(sort_keys(line.row), cells(line, scaler), strict=True))
    )


def _kind(column: int) -> str:
    return "figure" if FIRST_FIGURE_COLUMN <= column <= LAST_FIGURE_COLUMN else "text"
