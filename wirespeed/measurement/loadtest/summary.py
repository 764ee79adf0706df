"""All figures of load tests, a row per direction, as the page's template takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.charts.page_parts import ColumnHeading, SummaryCell, SummaryRow, SummaryTable
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.rows import (
    FIRST_FIGURE_COLUMN,
    LAST_FIGURE_COLUMN,
    PERCENT_COLUMN,
    PrintedRow,
    cells,
    headings,
    lines_of,
    sort_keys,
)
from wirespeed.results.channel import SUM
from wirespeed.results.figures import NOTHING, Scaler
from wirespeed.results.verdict import Verdict


def summary_of(results: Sequence[Result], verdicts: Mapping[str, Verdict], scaler: Scaler) -> SummaryTable:
    columns = headings(results, scaler)
    return SummaryTable(
        headings=tuple(ColumnHeading(text, _kind(index)) for index, text in enumerate(columns)),
        rows=tuple(
            SummaryRow(line.row.test, _cells(line, scaler), line.row.channel == SUM)
            for line in lines_of(results, verdicts)
        ),
    )


def _cells(line: PrintedRow, scaler: Scaler) -> tuple[SummaryCell, ...]:
    filled = f"{line.forwarded.line_percent or 0.0:.1f}"
    return tuple(
        SummaryCell(
            text=text,
            kind=_kind(index),
            sort_key="" if key is None else str(key),
            filled_percent=filled if index == PERCENT_COLUMN and text != NOTHING else None,
        )
        for index, (key, text) in enumerate(zip(sort_keys(line.row), cells(line, scaler), strict=True))
    )


def _kind(column: int) -> str:
    return "figure" if FIRST_FIGURE_COLUMN <= column <= LAST_FIGURE_COLUMN else "text"
