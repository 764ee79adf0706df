"""The tests of stateful devices in reports: their curves and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Grid, Paragraph
from wirespeed.measurement.reported import Shown
from wirespeed.measurement.rfc.report import RfcReport, irregular_rows
from wirespeed.measurement.rfc.text import RfcSection
from wirespeed.measurement.stateful.charts import flows_chart, latency_chart
from wirespeed.measurement.stateful.result import StatefulResult, Test
from wirespeed.measurement.stateful.rows import StatefulRow, figures_of
from wirespeed.measurement.stateful.text import TEXT, table_text

_TEXTS = {"flows", "addresses", "sends", "filter", "direction"}


class StatefulReport(RfcReport[StatefulResult]):
    noun, title = "rfc 9693", "RFC 9693"
    text = TEXT
    figures = staticmethod(figures_of)
    row_kinds: ClassVar = {"stateful": (StatefulRow, "a figure of a test and number of flows")}

    def table(self, result: StatefulResult, section: RfcSection) -> Grid:
        return Grid(
            f"{result.name}: {section.title.lower()}",
            tuple(section.head),
            tuple(map(tuple, section.rows)),
            texts=sum(1 for name in section.head if name in _TEXTS),
            irregular=_irregular(result, section.test),
        )

    def above(self, identity: str, result: StatefulResult, shown: Shown) -> Iterator[Block]:
        yield Paragraph(f"State table: {table_text(result)}.")
        sentence = f"{result.name}: {shown.verdicts[result.name].plain_lines[0]}"
        if (chart := flows_chart(f"{identity}-flows", sentence, result, shown.scaler)) is not None:
            yield shown.drawn.place(chart)

    def test_chart(
        self, identity: str, sentence: str, result: StatefulResult, test: Test, _shown: Shown
    ) -> Chart | None:
        return latency_chart(identity, sentence, result) if test == "latency" else None


def _irregular(result: StatefulResult, test: Test) -> frozenset[int]:
    """Numbers of the irregular rows in a test's table. The latency table has one row per quantity."""
    if test != "latency":
        return irregular_rows(result, test)
    whys = [row.irregular for row in result.latency for _ in row.quantities]
    return frozenset(index for index, why in enumerate(whys) if why)


REPORT = StatefulReport()
