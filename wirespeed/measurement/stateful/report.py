"""The tests of stateful devices in reports: their curves and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Grid, Paragraph
from wirespeed.measurement.reported import Shown
from wirespeed.measurement.rfc.report import RfcReport, irregular_rows
from wirespeed.measurement.rfc.text import RfcSection
from wirespeed.measurement.stateful.charts import flows_chart, latency_chart
from wirespeed.measurement.stateful.result import StatefulResult, Test
from wirespeed.measurement.stateful.rows import StatefulRow, stateful_rows
from wirespeed.measurement.stateful.text import TEXT, table_text

_TEXTS = {"flows", "sends", "filter", "direction"}


class StatefulReport(RfcReport[StatefulResult]):
    noun, title = "rfc 9693", "RFC 9693"
    text = TEXT
    row_kinds: ClassVar = {"stateful": (StatefulRow, "a figure of a test and number of flows")}

    def rows(self, results: Sequence[StatefulResult], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"stateful": stateful_rows(results)}

    def table(self, result: StatefulResult, section: RfcSection) -> Grid:
        return Grid(
            f"{result.name}: {section.title.lower()}",
            tuple(section.head),
            tuple(map(tuple, section.rows)),
            texts=sum(1 for name in section.head if name in _TEXTS),
            irregular=irregular_rows(result, section.test),
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


REPORT = StatefulReport()
