"""All figures of load tests, a row per direction, as the page's template takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirespeed.charts.page_parts import ColumnHeading, SummaryCell, SummaryRow, SummaryTable
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.rows import SHARE, columns_of, lines_of, table_of
from wirespeed.results.channel import SUM
from wirespeed.results.figures import NOTHING, Scaler
from wirespeed.results.verdict import Verdict


def summary_of(results: Sequence[Result], verdicts: Mapping[str, Verdict], scaler: Scaler) -> SummaryTable:
    table, columns = table_of(results, verdicts, scaler), columns_of(results, scaler).values()
    kinds = ["figure" if index in table.figures else "text" for index in range(len(table.headings))]
    rows = []
    for line, texts in zip(lines_of(results, verdicts), table.rows, strict=True):
        filled = f"{line.forwarded.line_percent or 0.0:.1f}"
        cells = tuple(
            SummaryCell(
                text,
                kind,
                sort_key="" if (key := column.sort_key(line.row)) is None else str(key),
                filled_percent=filled if heading == SHARE and text != NOTHING else None,
            )
            for heading, column, kind, text in zip(table.headings, columns, kinds, texts, strict=True)
        )
        rows.append(SummaryRow(line.row.test, cells, line.row.channel == SUM))
    return SummaryTable(tuple(map(ColumnHeading, table.headings, kinds)), tuple(rows))
