"""The tests of stateful devices in reports: their curves and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Paragraph
from wirespeed.measurement.reported import Shown
from wirespeed.measurement.rfc.report import RfcReport
from wirespeed.measurement.stateful.charts import flows_chart, latency_chart
from wirespeed.measurement.stateful.result import StatefulResult, Test
from wirespeed.measurement.stateful.rows import StatefulRow, figures_of
from wirespeed.measurement.stateful.text import TEXT, table_text


class StatefulReport(RfcReport[StatefulResult]):
    noun, title = "rfc 9693", "RFC 9693"
    text = TEXT
    figures = staticmethod(figures_of)
    row_kinds: ClassVar = {"stateful": (StatefulRow, "a figure of a test and number of flows")}

    def above(self, identity: str, result: StatefulResult, shown: Shown) -> Iterator[Block]:
        yield Paragraph(f"State table: {table_text(result)}.")
        sentence = f"{result.name}: {shown.verdicts[result.name].plain_lines[0]}"
        if (chart := flows_chart(f"{identity}-flows", sentence, result, shown.scaler)) is not None:
            yield shown.drawn.place(chart)

    def test_chart(
        self, identity: str, sentence: str, result: StatefulResult, test: Test, _shown: Shown
    ) -> Chart | None:
        return latency_chart(identity, sentence, result) if test == "latency" else None


REPORT = StatefulReport()
