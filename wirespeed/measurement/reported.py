"""How reports show the results of a kind: each kind's `report.py` has its own. Pure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from wirespeed.charts.chart import Band
from wirespeed.charts.page_parts import Cards, Drawn, Grid, Section
from wirespeed.pages.words import count
from wirespeed.results.figures import Scaler
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Figure, Verdict
from wirespeed.tables import aligned

AResult = TypeVar("AResult", bound=MeasurementResult)


@dataclass(frozen=True)
class Remark:
    """A warning. `cause` is its kind in one word for programs, `sentence` says it once with how many tests or
    directions it is true of, `tests` names each of them (of what differs between tests: each load or setting)
    with its detail.
    """

    cause: str
    sentence: str
    tests: tuple[str, ...]


class ReportedKind(ABC, Generic[AResult]):
    """What a report asks a kind of measurement; the answers of this class are those of a kind that has nothing to say.

    `noun` is one result, `title` are several, `sized` is what their
    size is counted in. `row_kinds` are the dataclasses of `rows`, and what each is in words.
    `bounds_loads`: its figures are loads, which stand beside load tests of the same load. `leads`: the other kinds
    stand beside it, and its rows alone do without their kind."""

    noun: ClassVar[str]
    title: ClassVar[str]
    sized: ClassVar[str]
    bounds_loads: ClassVar[bool] = False
    leads: ClassVar[bool] = False
    row_kinds: ClassVar[Mapping[str, tuple[type, str]]] = {}

    @abstractmethod
    def size(self, result: AResult) -> int:
        """How large the result is, in what `sized` names."""

    def judged_by(
        self, result: AResult, _threshold: float | None, _line_bps: float | None, _leave_out_spoilt: bool | None
    ) -> AResult:
        """The result, to be judged by the settings of the report where they are not None."""
        return result

    def rows(self, _results: Sequence[AResult]) -> Mapping[str, Sequence[Any]]:
        """Plain values for programs: dataclasses by the name of their table."""
        return {}

    def tables(self, _results: Sequence[AResult], _scaler: Scaler) -> Sequence[Grid]:
        """The tables for people, without those that have no row."""
        return ()

    def sections(
        self, _results: Sequence[AResult], _verdicts: Mapping[str, Verdict], _scaler: Scaler, _drawn: Drawn
    ) -> Iterator[Section]:
        """The sections of the page. Verdicts are by the names of results; the charts are kept in `_drawn`."""
        yield from ()

    def counted(self, number: int) -> str:
        return count(number, self.noun)

    def found_by(self, _result: AResult) -> str:
        """Words that the result is searched for by, besides its name and device."""
        return self.noun

    def chart(self, _number: int) -> str:
        """The identity of the chart of the result in this place among those of its kind; empty without one."""
        return ""

    def markdown(self, results: Sequence[AResult], scaler: Scaler) -> Iterator[str]:
        """The tables as text, a heading above each."""
        for table in self.tables(results, scaler):
            yield f"## {table.label}\n\n{aligned([table.headings, *table.rows], table.figures)}"

    def cards(self, _results: Sequence[AResult], _verdicts: Mapping[str, Verdict]) -> Cards | None:
        """The answers, for a page that has no load test to give them."""
        return None

    def irregular(self, _results: Sequence[AResult]) -> Remark | None:
        """A warning of figures that are not what was asked for."""
        return None

    def remarks(self, _results: Sequence[AResult]) -> Iterator[Remark]:
        """Other warnings."""
        yield from ()

    def notes(self, result: AResult) -> tuple[str, ...]:
        """The notes of the measurement that a report warns of."""
        return result.ending.notes

    def columns(self, _result: AResult, _verdict: Verdict) -> Iterator[tuple[str, Figure, Any]]:
        """What the matrix of loads and devices has of it: the goal, its figure, and its row of `rows`."""
        yield from ()

    def bands(self, _result: AResult, _colour: str, _scaler: Scaler) -> Iterator[Band]:
        """Bounds to draw on the chart of a load test of the same load."""
        yield from ()
