"""What the page shows of the tests of RFC 2544: its graphs, a table a test, and the report as text to paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.charts.chart import Chart
from wirespeed.measurement.rfc2544.result import Rfc2544Result, Test
from wirespeed.measurement.rfc2544.text import Section, sections, text_block
from wirespeed.report.other_remarks import ending_text
from wirespeed.report.page_parts import Drawn, Grid, Place, grid
from wirespeed.report.rfc2544_charts import device_chart, latency_chart, loss_chart, throughput_chart
from wirespeed.results.figures import Scaler
from wirespeed.results.verdict import Verdict

REMARK_COLUMNS = {"remark", "limit"}


@dataclass(frozen=True)
class BenchmarkView:
    """One test: `remarks` say which rows are irregular, `sentences` what the RFC wants said, its conformance last."""

    title: str
    chart: Place | None
    table: Grid
    remarks: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class SuiteView:
    """All tests of one result. `exceptions` are deviations from the RFC in all of them, `text` are the lines of the
    report as text."""

    title: str
    verdict: tuple[str, ...]
    ending: str
    exceptions: str
    benchmarks: tuple[BenchmarkView, ...]
    device: Place | None
    text: tuple[str, ...]


def suite_views(
    suites: Sequence[Rfc2544Result], verdicts: Mapping[str, Verdict], scaler: Scaler, drawn: Drawn
) -> tuple[SuiteView, ...]:
    """`verdicts` are by the names of results; the charts are kept in `drawn`."""
    return tuple(
        SuiteView(
            title=suite.name,
            verdict=verdicts[suite.name].plain_lines,
            ending=ending_text(suite.ending),
            exceptions="; ".join(suite.method.common_exceptions),
            benchmarks=tuple(_benchmark(number, suite, section, scaler, drawn) for section in sections(suite)),
            device=_device(number, suite, scaler, drawn),
            text=tuple(text_block(suite).splitlines()),
        )
        for number, suite in enumerate(suites)
    )


def _benchmark(number: int, suite: Rfc2544Result, section: Section, scaler: Scaler, drawn: Drawn) -> BenchmarkView:
    said = f"{suite.name}: {section.title.lower()} of RFC 2544"
    chart = _chart(f"rfc2544-{number}-{section.test}", said, suite, section.test, scaler)
    texts = 2 if section.head[1] in ("direction", "reset") else 1
    table = grid(said, section.head, section.rows, texts, 1 if section.head[-1] in REMARK_COLUMNS else 0)
    assert table is not None  # a section is of a test that has a row
    table = replace(table, irregular=frozenset(index for index, why in enumerate(_irregular(suite, section)) if why))
    place = None if chart is None else drawn.place(chart)
    return BenchmarkView(section.title, place, table, section.remarks, section.sentences)


def _device(number: int, suite: Rfc2544Result, scaler: Scaler, drawn: Drawn) -> Place | None:
    said = f"{suite.name}: what the device told under the trials"
    chart = device_chart(f"rfc2544-{number}-device", said, suite, scaler)
    return None if chart is None else drawn.place(chart)


def _irregular(suite: Rfc2544Result, section: Section) -> list[str]:
    """Why each row of the table is; of frame loss, a row is a load."""
    if section.test == "frame-loss":
        return [point.irregular or row.irregular for row in suite.frame_loss for point in row.points]
    return [row.irregular for row in suite.rows(section.test)]


def _chart(identity: str, sentence: str, suite: Rfc2544Result, test: Test, scaler: Scaler) -> Chart | None:
    match test:
        case "throughput":
            return throughput_chart(identity, sentence, suite.throughput, scaler)
        case "latency":
            return latency_chart(identity, sentence, suite.latency)
        case "frame-loss":
            return loss_chart(identity, sentence, suite.frame_loss)
        case _:
            return None
