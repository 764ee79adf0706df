"""The tests of stateful devices in reports: their curves, a table a test, and the report as text to paste."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from wirespeed.charts.page_parts import Block, Code, Fold, Grid, Heading, PageSection, Paragraph
from wirespeed.measurement.reported import Remark, ReportedKind, Shown, remark_on
from wirespeed.measurement.stateful.charts import flows_chart, latency_chart
from wirespeed.measurement.stateful.result import WITHOUT_RFC, StatefulResult
from wirespeed.measurement.stateful.rows import StatefulRow, stateful_rows
from wirespeed.measurement.stateful.text import StatefulSection, named, remark_of, sections, table_text, text_block
from wirespeed.pages.words import count
from wirespeed.results.ending import COMPLETE

_TEXTS = {"flows", "sends", "filter", "direction"}


class StatefulReport(ReportedKind[StatefulResult]):
    """A section a result, which is all tests that ran."""

    noun, title, sized = "rfc 9693", "RFC 9693", "trials"
    row_kinds: ClassVar = {"stateful": (StatefulRow, "a figure of a test and number of flows")}

    def size(self, result: StatefulResult) -> int:
        return len(result.trials)

    def counted(self, results: Sequence[StatefulResult]) -> str:
        titles = [result.method.title for result in results]
        return ", ".join(f"{count(titles.count(title), 'run')} of {title}" for title in dict.fromkeys(titles))

    def rows(self, results: Sequence[StatefulResult], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"stateful": stateful_rows(results)}

    def tables(self, results: Sequence[StatefulResult], _shown: Shown) -> Sequence[Grid]:
        return tuple(_table(result, section) for result in results for section in sections(result))

    def markdown(self, results: Sequence[StatefulResult], _shown: Shown) -> Iterator[str]:
        return map(text_block, results)

    def sections(self, results: Sequence[StatefulResult], shown: Shown) -> Iterator[PageSection]:
        for number, result in enumerate(results):
            blocks = tuple(_blocks(f"stateful-{number}", result, shown))
            yield PageSection(f"{result.method.title}: {result.name}", blocks, look="rfc2544", of=result.name)

    def irregular(self, results: Sequence[StatefulResult]) -> Iterator[Remark]:
        rows = [(result, test, row) for result in results for test in result.method.tests for row in result.rows(test)]
        irregular = (
            (f"{result.name} {test} {named(row)}", why) for result, test, row in rows if (why := remark_of(row))
        )
        sentence = " of tests of stateful devices irregular or without a figure."
        return remark_on("irregular-rows", irregular, len(rows), "row", sentence)


def _blocks(identity: str, result: StatefulResult, shown: Shown) -> Iterator[Block]:
    """The verdict, the curves, each test with what the RFC wants said of it, and the text."""
    verdict = shown.verdicts[result.name].plain_lines
    for number, line in enumerate(verdict):
        yield Paragraph(line, "caption" if number else "verdict")
    if result.ending.status != COMPLETE:
        yield Paragraph(f"◇ {result.ending.text}", "marked")
    yield Paragraph(f"State table: {table_text(result)}.")
    if result.method.transport == "tcp":
        yield Paragraph(f"{WITHOUT_RFC}: no conformance is claimed.")
    if exceptions := "; ".join(result.method.common_exceptions):
        yield Paragraph(f"In all tests not as the RFC has it: {exceptions}.")
    if (chart := flows_chart(f"{identity}-flows", f"{result.name}: {verdict[0]}", result, shown.scaler)) is not None:
        yield shown.drawn.place(chart)
    for section in sections(result):
        yield Heading(section.title)
        if section.test == "latency":
            chart = latency_chart(f"{identity}-latency", f"{result.name}: latency over states", result)
            if chart is not None:
                yield shown.drawn.place(chart)
        yield _table(result, section)
        yield from (Paragraph(f"◇ {remark}", "marked") for remark in section.remarks)
        yield from map(Paragraph, section.sentences)
    yield Fold("The report as text, to paste", (Code(tuple(text_block(result).splitlines())),), look="listing")


def _table(result: StatefulResult, section: StatefulSection) -> Grid:
    return Grid(
        f"{result.name}: {section.title.lower()}",
        tuple(section.head),
        tuple(map(tuple, section.rows)),
        texts=sum(1 for name in section.head if name in _TEXTS),
        irregular=frozenset() if section.test == "frame-loss" else _irregular(result, section),
    )


def _irregular(result: StatefulResult, section: StatefulSection) -> frozenset[int]:
    return frozenset(index for index, row in enumerate(result.rows(section.test)) if row.irregular)


REPORT = StatefulReport()
