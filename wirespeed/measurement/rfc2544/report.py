"""The tests of RFC 2544 in reports: its graphs, a table a test, and the report as text to paste."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Code, Fold, Grid, Heading, PageSection, Paragraph
from wirespeed.measurement.reported import Remark, ReportedKind, Shown, remark_on
from wirespeed.measurement.rfc2544.charts import device_chart, latency_chart, loss_chart, throughput_chart
from wirespeed.measurement.rfc2544.result import APPLICABILITY, Rfc2544Result, Test
from wirespeed.measurement.rfc2544.rows import BenchmarkRow, benchmark_rows
from wirespeed.measurement.rfc2544.text import ReportSection as TestSection
from wirespeed.measurement.rfc2544.text import sections, text_block
from wirespeed.pages.duts import dut_name
from wirespeed.pages.words import count
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import Scaler

REMARK_COLUMNS = {"remark", "limit"}


class Rfc2544Report(ReportedKind[Rfc2544Result]):
    """A section a result, which is all tests that ran."""

    noun, title, sized = "rfc 2544", "RFC 2544", "trials"
    row_kinds: ClassVar = {"rfc2544": (BenchmarkRow, "a figure of a benchmark and frame size")}

    def size(self, result: Rfc2544Result) -> int:
        return len(result.trials)

    def counted(self, results: Sequence[Rfc2544Result]) -> str:
        return f"{count(len(results), 'run')} of RFC 2544"

    def rows(self, results: Sequence[Rfc2544Result], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"rfc2544": benchmark_rows(results)}

    def tables(self, results: Sequence[Rfc2544Result], _shown: Shown) -> Sequence[Grid]:
        return tuple(_table(suite, section) for suite in results for section in sections(suite))

    def markdown(self, results: Sequence[Rfc2544Result], _shown: Shown) -> Iterator[str]:
        return map(text_block, results)

    def sections(self, results: Sequence[Rfc2544Result], shown: Shown) -> Iterator[PageSection]:
        for number, suite in enumerate(results):
            identity = f"rfc2544-{number}"
            blocks = tuple(_blocks(identity, suite, shown))
            yield PageSection(f"RFC 2544: {suite.name}", blocks, look="rfc2544", of=suite.name)

    def irregular(self, results: Sequence[Rfc2544Result]) -> Iterator[Remark]:
        rows = [(suite, test, row) for suite in results for test in suite.method.tests for row in suite.rows(test)]
        irregular = (
            (f"{suite.name} {test} {row.frame}", why)
            for suite, test, row in rows
            if (why := row.irregular or getattr(row, "skipped", ""))
        )
        sentence = " of RFC 2544 irregular: not the router's alone."
        return remark_on("irregular-rows", irregular, len(rows), "row", sentence)

    def notes(self, result: Rfc2544Result) -> tuple[str, ...]:
        return tuple(note for note in result.ending.notes if note != APPLICABILITY)


def _blocks(identity: str, suite: Rfc2544Result, shown: Shown) -> Iterator[Block]:
    """The verdict, each test with what the RFC wants said of it, what the device told, and the text."""
    for number, line in enumerate(shown.verdicts[suite.name].plain_lines):
        yield Paragraph(line, "caption" if number else "verdict")
    if suite.ending.status != COMPLETE:
        yield Paragraph(f"✕ {suite.ending.text}", "marked")
    if exceptions := "; ".join(suite.method.common_exceptions):
        yield Paragraph(f"In all tests not as the RFC has it: {exceptions}.")
    for section in sections(suite):
        table = _table(suite, section)
        yield Heading(section.title)
        if (chart := _chart(f"{identity}-{section.test}", table.label, suite, section.test, shown.scaler)) is not None:
            yield shown.drawn.place(replace(chart, title=f"RFC 2544, {section.title.lower()}: {dut_name(suite)}"))
        yield table
        yield from (Paragraph(f"✕ irregular: {remark}", "marked") for remark in section.remarks)
        yield from map(Paragraph, section.sentences)
    said = f"{suite.name}: what the device told under the trials"
    if (device := device_chart(f"{identity}-device", said, suite, shown.scaler)) is not None:
        titled = replace(device, title=f"RFC 2544, what the device told: {dut_name(suite)}")
        yield from (Heading("What the device told"), shown.drawn.place(titled))
    yield Fold("The report as text, to paste", (Code(tuple(text_block(suite).splitlines())),), look="listing")


def _table(suite: Rfc2544Result, section: TestSection) -> Grid:
    return Grid(
        f"{suite.name}: {section.title.lower()} of RFC 2544",
        tuple(section.head),
        tuple(map(tuple, section.rows)),
        texts=2 if section.head[1] in ("direction", "reset") else 1,
        remarks=1 if section.head[-1] in REMARK_COLUMNS else 0,
        irregular=frozenset(index for index, why in enumerate(_irregular(suite, section)) if why),
    )


def _irregular(suite: Rfc2544Result, section: TestSection) -> list[str]:
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


REPORT = Rfc2544Report()
