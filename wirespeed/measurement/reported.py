"""The part of a kind of measurement that reports use; each kind has its own in `report.py`. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from wirespeed.charts.chart import Band
from wirespeed.charts.page_parts import Cards, Drawn, PageSection, SummaryTable
from wirespeed.measurement.load import ResultLoad
from wirespeed.pages.words import count, some
from wirespeed.results.dut import NodeRow
from wirespeed.results.figures import MEGA, Scaler
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Figure, Limit, Verdict
from wirespeed.tables import Grid

AResult = TypeVar("AResult", bound=MeasurementResult)
Both = Literal["each", "sum200", "sum100"]
"""Columns of a bidirectional test in the matrix: one for each direction, or their sum as a share of 200 % or of 100
%."""
TOGETHER, BIDIRECTIONAL = "both", "bidirectional"
"""Several directions at once, in documents and in words."""
SMOOTHED, IRREGULAR = "~", "✕"


def in_words(direction: str) -> str:
    """`both 0→1` as `bidirectional 0→1`."""
    word, space, rest = direction.partition(" ")
    return f"{BIDIRECTIONAL}{space}{rest}" if word == TOGETHER else direction


@dataclass(frozen=True)
class Remark:
    """A warning. `cause` is its kind in one word for programs, `sentence` says it once with how many tests or
    directions it is true of, `tests` names each of them (of what differs between tests: each load or setting)
    with its detail.
    """

    cause: str
    sentence: str
    tests: tuple[str, ...]


def remark_on(cause: str, found: Iterable[tuple[str, str]], total: int, noun: str, sentence: str) -> Iterator[Remark]:
    """The warning that `found` of `total` items (`noun`) are affected: their names with their differences, which may be
    empty, then `sentence`. Nothing if none was found."""
    if named := list(found):
        who = some([name for name, _ in named], total, noun)
        yield Remark(cause, f"{who}{sentence}", tuple(": ".join(filter(None, one)) for one in named))


@dataclass(frozen=True)
class Shown:
    """Settings of a report, for the parts of a kind: `verdicts` by the names of all results, `colours` by the names of
    devices. `bounds` are results whose figures are loads, `channels` the curves to draw; `drawn` stores the charts."""

    verdicts: Mapping[str, Verdict]
    scaler: Scaler = MEGA
    bounds: tuple[MeasurementResult, ...] = ()
    colours: Mapping[str, str] = field(default_factory=dict)
    channels: frozenset[str] = frozenset()
    drawn: Drawn = field(default_factory=Drawn)


@dataclass(frozen=True)
class MatrixEntry:
    """A cell of the matrix: the `figure` of one `channel` of a result, in the column of a direction or of a goal such
    as `NDR (loss ≤ 0 %)`. `row` is the table row with all other figures, `marks` qualify the figure next to its bound,
    `spark` is the path of a small picture. `limit` is that of the figure, if it is not that of the verdict."""

    direction: str
    figure: Figure
    row: Any
    channel: str = ""
    goal: str = ""
    marks: str = ""
    spark: str = ""
    limit: Limit | None = None


class ReportedKind(ABC, Generic[AResult]):
    """The part of a kind of measurement that reports use. The methods of this class are those of a kind without
    anything to show.

    `noun` is the word for one result, `title` that for several, `sized` the unit of their size. `row_kinds` are the
    dataclasses of `rows`, with a description of each. `bounds_loads`: its figures are loads and are listed with tests
    of the same load. `in_matrix`: the matrix has a row for its loads. `leads`: it comes before the other kinds, its
    results are in the order of their loads, and it alone is listed without its name."""

    noun: ClassVar[str]
    title: ClassVar[str]
    sized: ClassVar[str]
    bounds_loads: ClassVar[bool] = False
    in_matrix: ClassVar[bool] = False
    leads: ClassVar[bool] = False
    row_kinds: ClassVar[Mapping[str, tuple[type, str]]] = {}

    @abstractmethod
    def size(self, result: AResult) -> int:
        """Size of the result, in the unit `sized`."""

    def judged_by(
        self, result: AResult, _threshold: float | None, _line_bps: float | None, _exclude_disturbed: bool | None
    ) -> AResult:
        """The result, to be judged by the settings of the report where they are not None."""
        return result

    def rows(self, _results: Sequence[AResult], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        """Plain values for programs: dataclasses by the name of their table."""
        return {}

    def tables(self, _results: Sequence[AResult], _shown: Shown) -> Sequence[Grid]:
        """The tables for people, without those that have no row."""
        return ()

    def sections(self, _results: Sequence[AResult], _shown: Shown) -> Iterator[PageSection]:
        """The sections of the page."""
        yield from ()

    def summary(self, _results: Sequence[AResult], _shown: Shown) -> SummaryTable | None:
        """A table of the page that can be sorted."""
        return None

    def counted(self, results: Sequence[AResult]) -> str:
        return count(len(results), self.noun)

    def judged(self, _results: Sequence[AResult]) -> str:
        """The thresholds by which the results were judged."""
        return ""

    def channels(self, _result: AResult) -> Iterator[str]:
        """The channels whose curves can be drawn by themselves."""
        yield from ()

    def found_by(self, _result: AResult) -> str:
        """Words that the result is searched for by, besides its name and device."""
        return self.noun

    def chart(self, _number: int) -> str:
        """The identity of the chart of the result in this place among those of its kind; empty without one."""
        return ""

    def charts(self, results: Sequence[AResult]) -> dict[str, str]:
        """The identity of the chart that shows a result, by its name."""
        places = ((result.name, self.chart(number)) for number, result in enumerate(results))
        return {name: place for name, place in places if place}

    def markdown(self, results: Sequence[AResult], shown: Shown) -> Iterator[str]:
        """The tables as text, a heading above each."""
        for table in self.tables(results, shown):
            yield f"## {table.label}\n\n{table.markdown}"

    def cards(self, _results: Sequence[AResult], _shown: Shown) -> Cards | None:
        """The answers, which a page has of the kind that leads, or of all kinds without it."""
        return None

    def irregular(self, _results: Sequence[AResult]) -> Iterator[Remark]:
        """Warnings about figures that differ from the request; for the leading kind, all warnings."""
        yield from ()

    def remarks(self, _results: Sequence[AResult]) -> Iterator[Remark]:
        """Other warnings."""
        yield from ()

    def notes(self, result: AResult) -> tuple[str, ...]:
        """The notes of the measurement that a report warns of."""
        return result.ending.notes

    def entries(self, _result: AResult, _load: ResultLoad, _verdict: Verdict, _both: Both) -> Iterator[MatrixEntry]:
        """Cells of the result in the matrix of loads and devices."""
        yield from ()

    def node_rows(self, _result: AResult) -> Sequence[NodeRow]:
        """Cost of each node of the router at some loads."""
        return ()

    def bands(self, _result: AResult, _colour: str, _scaler: Scaler) -> Iterator[Band]:
        """Bounds to draw on the chart of a load test of the same load."""
        yield from ()
