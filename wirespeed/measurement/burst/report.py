"""Burst tests in reports: the lengths as a table, and a chart each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from wirespeed.charts.page_parts import Heading, PageSection, Paragraph, ResultBlocks
from wirespeed.measurement.burst.charts import burst_chart
from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.burst.rows import BurstRow, burst_rows, tables_of
from wirespeed.measurement.reported import ReportedKind, Shown
from wirespeed.tables import Grid

POINTS = (
    "A point is a burst: its loss over its length. Bursts without loss are drawn at the bottom of the axis. The shaded "
    "area lies between the bounds of the length."
)


class BurstReport(ReportedKind[BurstResult]):
    """A table of all burst tests, and each with its bursts."""

    noun, title, sized = "burst test", "burst tests", "bursts"
    row_kinds: ClassVar = {"burst": (BurstRow, "a burst test")}

    def size(self, result: BurstResult) -> int:
        return len(result.trials)

    def chart(self, number: int) -> str:
        return f"burst-{number}"

    def rows(self, results: Sequence[BurstResult], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"burst": burst_rows(results)}

    def tables(self, results: Sequence[BurstResult], shown: Shown) -> Sequence[Grid]:
        return tables_of(results, shown.scaler)

    def sections(self, results: Sequence[BurstResult], shown: Shown) -> Iterator[PageSection]:
        parts = []
        for number, result in enumerate(results):
            first, *more = shown.verdicts[result.name].plain_lines
            chart = shown.drawn.place(burst_chart(self.chart(number), result, f"{result.name}: {first}"))
            said = (Paragraph(first, "verdict"), *map(Paragraph, more))
            parts.append(ResultBlocks(result.name, (Heading(result.name), *said, chart)))
        yield PageSection("Bursts", (*self.tables(results, shown), *parts, Paragraph(POINTS)), identity="bursts")


REPORT = BurstReport()
