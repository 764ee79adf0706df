"""Load tests in reports: the answers, all figures as a table, and charts of each load over the load and over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from wirespeed.charts.page_parts import Block, Cards, Fold, Heading, PageSection, Paragraph, SummaryTable
from wirespeed.charts.sparkline import path_of
from wirespeed.measurement.load import ResultLoad, group_by_load, load_of
from wirespeed.measurement.loadtest.analysis import MeasuredCurve
from wirespeed.measurement.loadtest.answers import cards_of
from wirespeed.measurement.loadtest.charts import (
    MOST_APART,
    by_speed,
    devices_of,
    first_to_lose,
    load_chart,
    time_chart,
)
from wirespeed.measurement.loadtest.nodes import node_rows
from wirespeed.measurement.loadtest.remarks import remarks_on, thresholds_text
from wirespeed.measurement.loadtest.result import Judging, Result
from wirespeed.measurement.loadtest.rows import LoadTestRow, line_of, lines_of, table_of
from wirespeed.measurement.loadtest.summary import summary_of
from wirespeed.measurement.reported import SMOOTHED, TOGETHER, Both, MatrixEntry, Remark, ReportedKind, Shown
from wirespeed.pages.words import count
from wirespeed.results.channel import SUM
from wirespeed.results.dut import NodeRow
from wirespeed.results.verdict import Verdict
from wirespeed.tables import Grid

FIGURES = (
    "All loads are of one direction; the figure of a card is of all directions of a test together. Loss onset lies "
    "between the last sample that lost no more than the threshold and the first of a loss that lasts. The saturation "
    "point is where received stops following offered; a DUT can lose some packets below it."
)
LOOKS = (
    "Colour and mark are the DUT, line and outline the direction; a curve with filled and open marks is of both. "
    "Marks without a line are samples of the hold. Samples without loss are at the bottom of the loss axis; no line "
    "leads up from them. Shaded areas are the bounds that searches of the same test found."
)
APART = f"DUTs that forward more than {MOST_APART:g} times as much as others have a chart of their own."
ON_SCREEN = "Click a name to hide or show it, double-click it to see it alone; drag to zoom, double-click to return."
OVER_TIME = "Received load, and dotted the offered load, with warm-up and drain."


class LoadtestReport(ReportedKind[Result]):
    """Load tests by their loads."""

    noun, title, sized = "load test", "load tests", "samples"
    leads = True
    in_matrix = True
    row_kinds: ClassVar = {"load test": (LoadTestRow, "a direction of a load test, or the sum of several")}

    def judged_by(
        self, result: Result, threshold: float | None, line_bps: float | None, exclude_disturbed: bool | None
    ) -> Result:
        return replace(result, judging=Judging(threshold, line_bps, exclude_disturbed))

    def size(self, result: Result) -> int:
        return len(result.samples)

    def found_by(self, result: Result) -> str:
        return f"load test {load_of(result).name} {load_of(result).title}"

    def counted(self, results: Sequence[Result]) -> str:
        return f"{count(len(results), 'result')} with {count(len(group_by_load(results)), 'load')}"

    def judged(self, results: Sequence[Result]) -> str:
        return f"loss threshold {thresholds_text(results)}"

    def channels(self, result: Result) -> Iterator[str]:
        return (curve.channel for curve in result.analysis.curves)

    def charts(self, results: Sequence[Result]) -> dict[str, str]:
        return {
            one.name: f"load-{_place(number, part)}"
            for number, group in enumerate(group_by_load(results))
            for part, some in enumerate(by_speed(group))
            for one in some.results
        }

    def rows(self, results: Sequence[Result], shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"load test": [line.row for line in lines_of(results, shown.verdicts)]}

    def tables(self, results: Sequence[Result], shown: Shown) -> Sequence[Grid]:
        return (table_of(results, shown.verdicts, shown.scaler),)

    def summary(self, results: Sequence[Result], shown: Shown) -> SummaryTable | None:
        return summary_of(results, shown.verdicts, shown.scaler)

    def cards(self, results: Sequence[Result], shown: Shown) -> Cards | None:
        return cards_of(results, shown)

    def sections(self, results: Sequence[Result], shown: Shown) -> Iterator[PageSection]:
        for number, group in enumerate(group_by_load(results)):
            over_load: list[Block] = []
            over_time: list[Block] = []
            parts = by_speed(group)
            for part, some in enumerate(parts):
                if len(parts) > 1:
                    over_load.append(Heading(devices_of(some)))
                    over_time.append(Heading(devices_of(some)))
                place = _place(number, part)
                if first := first_to_lose(some, shown.scaler):
                    over_load.append(Paragraph(first, "verdict"))
                over_load.append(shown.drawn.place(load_chart(f"load-{place}", some, shown)))
                over_time.append(shown.drawn.place(time_chart(f"time-{place}", some, shown)))
            looks = f"{LOOKS} {APART}" if len(parts) > 1 else LOOKS
            fold = Fold("Over time", (*over_time, Paragraph(OVER_TIME)), look="over-time")
            captions = (Paragraph(FIGURES), Paragraph(looks), Paragraph(ON_SCREEN, "caption screen"))
            blocks = (*over_load, *captions, fold)
            yield PageSection(group.load.title, blocks, look="load")

    def irregular(self, results: Sequence[Result]) -> Iterator[Remark]:
        return remarks_on(results)

    def entries(self, result: Result, load: ResultLoad, verdict: Verdict, both: Both) -> Iterator[MatrixEntry]:
        test = result.analysis
        is_alone = len(test.curves) == 1
        for curve in test.curves:
            if not is_alone and (curve.channel == SUM) == (both == "each"):
                continue
            line = line_of(load, test, curve, verdict)
            direction = f"{TOGETHER} {curve.channel}" if both == "each" else TOGETHER
            yield MatrixEntry(
                direction=curve.channel if is_alone else direction,
                figure=line.forwarded,
                row=line.row,
                channel=curve.channel,
                marks="" if result.native else SMOOTHED,
                spark=_spark(curve),
            )

    def node_rows(self, result: Result) -> Sequence[NodeRow]:
        return node_rows(result.analysis)


def _place(number: int, part: int) -> str:
    """The place of a chart: the number of its load, and of the part of its devices beyond the first."""
    return f"{number}-{part + 1}" if part else f"{number}"


def _spark(curve: MeasuredCurve) -> str:
    """The ramp, both axes from 0 to the highest load offered; empty where there are not two loads."""
    points = sorted((point.offered_pps, point.received_pps) for point in curve.measured if point.phase == "ramp")
    return path_of(points, points[-1][0] if points else 0.0)


REPORT = LoadtestReport()
