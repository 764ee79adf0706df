"""Tests by an RFC in reports: the verdict, each test with its chart, table and sentences, and the report as text."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Block, Code, Fold, Heading, PageSection, Paragraph
from wirespeed.measurement.reported import IRREGULAR, Remark, ReportedKind, Shown, remark_on
from wirespeed.measurement.rfc.method import APPLICABILITY
from wirespeed.measurement.rfc.result import AResult
from wirespeed.measurement.rfc.text import RfcText
from wirespeed.pages.words import count
from wirespeed.results.ending import COMPLETE
from wirespeed.results.verdict import Named
from wirespeed.tables import Grid


class RfcReport(ReportedKind[AResult]):
    """One section per result, with all tests that ran."""

    sized = "trials"
    text: ClassVar[RfcText[Any]]

    @abstractmethod
    def figures(self, result: AResult, test: Any, row: Any, named: Named) -> Iterator[Any]:
        """The figures of a row, as rows of the one class in `row_kinds`."""

    def test_chart(self, _identity: str, _sentence: str, _result: AResult, _test: Any, _shown: Shown) -> Chart | None:
        """The chart of a test."""
        return None

    def above(self, _identity: str, _result: AResult, _shown: Shown) -> Iterator[Block]:
        """Blocks between the verdict and the tests."""
        yield from ()

    def below(self, _identity: str, _result: AResult, _shown: Shown) -> Iterator[Block]:
        """Blocks between the tests and the text."""
        yield from ()

    def size(self, result: AResult) -> int:
        return len(result.trials)

    def counted(self, results: Sequence[AResult]) -> str:
        names = [self.text.named(result) for result in results]
        return ", ".join(f"{count(names.count(name), 'run')} of {name}" for name in dict.fromkeys(names))

    def rows(self, results: Sequence[AResult], shown: Shown) -> Mapping[str, Sequence[Any]]:
        """All figures, in the order of the tests and of their rows."""
        (name,) = self.row_kinds
        figures = [
            replace(figure, conformance=result.method.conformance(test), outcome=result.ending.status)
            for result in results
            for test in result.method.tests
            for row in result.rows(test)
            for figure in self.figures(result, test, row, shown.verdicts[result.name].named)
        ]
        return {name: figures}

    def tables(self, results: Sequence[AResult], shown: Shown) -> Sequence[Grid]:
        sections = (self.text.sections(one, shown.verdicts[one.name]) for one in results)
        return tuple(section.table for several in sections for section in several)

    def markdown(self, results: Sequence[AResult], shown: Shown) -> Iterator[str]:
        return (self.text.text_block(one, shown.verdicts[one.name]) for one in results)

    def sections(self, results: Sequence[AResult], shown: Shown) -> Iterator[PageSection]:
        for number, result in enumerate(results):
            blocks = tuple(self._blocks(f"{result.kind}-{number}", result, shown))
            yield PageSection(f"{self.text.named(result)}: {result.name}", blocks, look="rfc2544", of=result.name)

    def irregular(self, results: Sequence[AResult]) -> Iterator[Remark]:
        rows = [(result, test, row) for result in results for test in result.method.tests for row in result.rows(test)]
        irregular = ((f"{result.name} {test} {row.subject}", why) for result, test, row in rows if (why := row.remark))
        names = " or ".join(dict.fromkeys(map(self.text.named, results)))
        sentence = f" of {names} irregular or without a figure."
        return remark_on("irregular-rows", irregular, len(rows), "row", sentence)

    def notes(self, result: AResult) -> tuple[str, ...]:
        return tuple(note for note in result.ending.notes if note != APPLICABILITY)

    def _blocks(self, identity: str, result: AResult, shown: Shown) -> Iterator[Block]:
        verdict = shown.verdicts[result.name]
        for number, line in enumerate(verdict.plain_lines):
            yield Paragraph(line, "caption" if number else "verdict")
        if result.ending.status != COMPLETE:
            yield Paragraph(f"{IRREGULAR} {result.ending.text}", "marked")
        if outside := result.method.outside:
            yield Paragraph(f"{outside}: no conformance is claimed.")
        if exceptions := "; ".join(result.method.common_exceptions):
            yield Paragraph(f"In all tests not as the RFC has it: {exceptions}.")
        yield from self.above(identity, result, shown)
        for section in self.text.sections(result, verdict):
            yield Heading(section.title)
            chart = self.test_chart(f"{identity}-{section.test}", section.table.label, result, section.test, shown)
            if chart is not None:
                yield shown.drawn.place(chart)
            yield section.table
            yield from (Paragraph(f"{IRREGULAR} {remark}", "marked") for remark in section.remarks)
            yield from map(Paragraph, section.sentences)
        yield from self.below(identity, result, shown)
        listing = Code(tuple(self.text.text_block(result, verdict).splitlines()))
        yield Fold("The report as text, to paste", (listing,), look="listing")
