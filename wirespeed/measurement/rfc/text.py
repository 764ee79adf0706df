"""The report of tests by an RFC: one table per test with the statements that its sections require. The whole is a block
of text to paste: Markdown, aligned so that it is readable as plain text. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic

from wirespeed.measurement.rfc.method import APPLICABILITY
from wirespeed.measurement.rfc.result import AResult
from wirespeed.results.figures import NOTHING
from wirespeed.results.verdict import Named, Verdict
from wirespeed.tables import ARow, Columns, Grid, aligned, grid

TEXTS = frozenset({"frame size", "flows", "addresses", "sends", "filter", "direction", "reset"})
"""The headings of columns that say what the figures are of; they come first."""


def _itself(row: Any) -> Iterable[Any]:
    return (row,)


@dataclass(frozen=True)
class RfcTable(Generic[ARow]):
    """The table of a test, with the limits that a verdict names; `lines` are those of one row of the result, each of
    which begins with that row if there are several."""

    title: str
    columns: Callable[[Named], Columns[ARow]]
    lines: Callable[[Any], Iterable[ARow]] = _itself


@dataclass(frozen=True)
class RfcSection:
    """One test in a report: its table, remarks on single rows, and its sentences. The last sentence states the
    conformance, unless the test is outside the RFC."""

    test: Any
    title: str
    table: Grid
    remarks: tuple[str, ...]
    sentences: tuple[str, ...]


class RfcText(ABC, Generic[AResult]):
    """Report of the tests by one RFC, with a table for each test. `of` ends the labels of the tables."""

    rfc: ClassVar[str]
    of: ClassVar[str] = ""

    def __init__(self, tables: Mapping[Any, RfcTable[Any]]) -> None:
        self.tables = tables

    def named(self, _result: AResult) -> str:
        """Name of the tests: the RFC's, unless they are outside it."""
        return self.rfc

    @abstractmethod
    def setup(self, result: AResult) -> Iterator[str]:
        """Lines on the DUT, the frames and the trials."""

    @abstractmethod
    def sentences(self, result: AResult, test: Any) -> Iterator[str]:
        """The lines that the RFC requires beside the table of a test."""

    def text_block(self, result: AResult, verdict: Verdict) -> str:
        """The whole report, without tests that have no row."""
        parts = ["\n".join(self._head(result)), *map(_written, self.sections(result, verdict)), APPLICABILITY]
        return "\n\n".join(parts) + "\n"

    def sections(self, result: AResult, verdict: Verdict) -> tuple[RfcSection, ...]:
        """Sections of the tests that have a row, in the order of the request."""
        return tuple(self._section(result, test, verdict) for test in result.method.tests if result.rows(test))

    def _section(self, result: AResult, test: Any, verdict: Verdict) -> RfcSection:
        remarks = dict.fromkeys(f"{row.subject}: {why}" for row in result.rows(test) if (why := row.remark))
        above = ", and except as is said of all tests above" if result.method.common_exceptions else ""
        sentences = [*self.sentences(result, test)]
        if conformance := result.method.conformance(test, all_of_them=False):
            sentences.append(f"Conformance: {conformance}{above}.")
        table = self._table(result, test, verdict)
        return RfcSection(test, self.tables[test].title, table, tuple(remarks), tuple(sentences))

    def _table(self, result: AResult, test: Any, verdict: Verdict) -> Grid:
        table = self.tables[test]
        columns = table.columns(verdict.named)
        lines = [line for row in result.rows(test) for line in table.lines(row)]
        return grid(
            f"{result.name}: {table.title.lower()}{self.of}",
            columns,
            lines,
            texts=len(TEXTS.intersection(columns)),
            remarks="remark" in columns,
            irregular=frozenset(index for index, line in enumerate(lines) if _is_irregular(line)),
        )

    def _head(self, result: AResult) -> Iterator[str]:
        versions, common = result.versions, result.method.common_exceptions
        name, version = result.dut.name, result.dut.version
        device = version if name and version.startswith(name) else f"{name} {version}".strip() or "not described"
        yield f"# {self.named(result)}: {result.name}"
        yield ""
        yield f"- DUT: {device}"
        yield f"- Tester: {versions.get('generator', 'unknown')}, wirespeed {versions.get('wirespeed', '?')}"
        yield from (f"- {line}" for line in self.setup(result))
        if outside := result.method.outside:
            yield f"- {outside}: no conformance is claimed"
        if common:
            yield f"- In all tests not as the RFC has it: {'; '.join(common)}"
        if result.ending.started:
            yield f"- Begun {result.ending.started}, {len(result.trials)} trials in {result.spent_s:.0f} s"
        if result.ending.reason:
            yield f"- Not ended as planned: {result.ending.reason}"
        yield from (f"- Note: {note}" for note in result.ending.notes if note != APPLICABILITY)


def _written(section: RfcSection) -> str:
    headings = section.table.headings
    table = aligned([headings, *section.table.rows], range(len(headings)), escape=False)
    remarks = "".join(f"- {remark}\n" for remark in section.remarks)
    return "\n".join([f"## {section.title}\n", table, *([remarks] if remarks else []), *section.sentences])


def _is_irregular(line: Any) -> bool:
    """True if a line of a table, or the row that it is of, has a figure that is not the DUT's alone."""
    parts = line if isinstance(line, tuple) else (line,)
    return any(getattr(part, "irregular", "") for part in parts)


def at_least(row: Any) -> str:
    """The sign of a lower bound, if tester or host ended the search."""
    return "≥ " if row.is_at_least else ""


def whole(value: float | None) -> str:
    """Frames or flows, rounded down: a rate that was not reached is not claimed."""
    return NOTHING if value is None else f"{int(value + 1e-6):,}".replace(",", " ")


def lossy(percent: float) -> str:
    """A loss above 0 is never shown as 0."""
    return "0" if percent == 0 else f"{percent:.3f}" if percent >= 0.001 else "< 0.001"
