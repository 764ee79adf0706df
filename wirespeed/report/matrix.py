"""The table that articles end with: loads down, devices and directions across, in each cell the figure of the verdict.

A test in one direction stands in its direction's column. Of a test in both directions at once, each has a column
(`each`), or they have one together, as a share of 200 % (`sum200`) or of 100 % (`sum100`). What a search found has a
column a goal, with the goal's lower and upper bound: of one direction, or, of a search in both at once, of each or of
their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.measurement.load import ResultLoad, load_of
from wirespeed.measurement.registry import report_of
from wirespeed.measurement.reported import IRREGULAR, SMOOTHED, TOGETHER, Both, MatrixEntry, in_words
from wirespeed.pages.duts import dut_name, editions
from wirespeed.pages.trust import MEANINGS, STEPS_OF_BOTH, Trust, trust_of
from wirespeed.pages.words import words
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import rounded, three_digits
from wirespeed.results.settings import Tunables
from wirespeed.results.verdict import LIMIT_WORDS, Figure, LimitedBy, Verdict

BROKEN_OFF = "†"
MOST_COLUMNS = 7
"""Columns of a table that fits a page."""
LEGEND = {
    SMOOTHED: "smoothed rates, as trex-loadtest writes them",
    IRREGULAR: "irregular: does not meet the definition of its goal",
    BROKEN_OFF: "the test did not complete",
}


@dataclass(frozen=True)
class Labels:
    """Names of rows: `template` with the load's own words, unless a pattern matches the load's name; then the label of
    the first such pattern."""

    template: str = ""
    patterns: tuple[tuple[str, str], ...] = ()


BY_NAME = Labels()
"""Rows are called what their loads are."""


@dataclass(frozen=True)
class Column:
    """`direction` is a channel of a test that ran in it alone, `both 0→1` one of several at once, `both` their sum,
    `both each way` the load of each. `goal` is what a search looked for, such as `NDR (loss ≤ 0 %)`."""

    dut: str
    direction: str
    goal: str = ""

    @property
    def key(self) -> str:
        """Its name in documents."""
        return " ".join(filter(None, (self.dut, self.direction, self.goal)))

    @property
    def heading(self) -> str:
        return " ".join(filter(None, (self.dut, in_words(self.direction), self.goal)))


@dataclass(frozen=True)
class MatrixCell:
    """The result `test` in a column, or its part of one channel. `percent` is of `of_percent`; `row` is a dataclass
    with all other data, `anchor` the place of its chart in the page, `marks` its qualifications other than the bound,
    `spark` the path of its sparkline, `edition` distinguishes the tests of a device; `started` is its start."""

    test: str
    figure: Figure
    percent: float | None
    of_percent: int
    row: Any
    limited_by: LimitedBy
    sentence: str
    anchor: str
    marks: str
    spark: str
    edition: str
    started: str

    @property
    def rate_pps(self) -> float | None:
        return self.figure.rate_pps

    @property
    def upper_pps(self) -> float | None:
        """The upper bound, of a figure that was searched."""
        return self.figure.upper_pps

    @property
    def share(self) -> str:
        """The share of the line, and what bounds the figure."""
        share = ""
        if self.percent is not None and self.of_percent != 100:
            share = f"{three_digits(self.percent)} of {self.of_percent} %"
        elif self.percent is not None:
            share = self.figure.share_text
        return ", ".join(filter(None, (share, self.figure.bound)))

    @property
    def trust(self) -> Trust:
        """The mark that the figure has on cards and on other pages."""
        return trust_of(self.figure)

    @property
    def limit(self) -> str:
        """The limit, in a word."""
        return LIMIT_WORDS[self.limited_by]


@dataclass(frozen=True)
class ReportMatrix:
    """`cells` of a row go with `columns`; a cell holds every test of that load, device and direction."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    cells: tuple[tuple[tuple[MatrixCell, ...], ...], ...]

    @property
    def is_turned(self) -> bool:
        """True if the table fits a page with devices down and loads across only."""
        return len(self.columns) > max(MOST_COLUMNS, len(self.labels))

    @property
    def every_cell(self) -> tuple[MatrixCell, ...]:
        return tuple(cell for row in self.cells for cells in row for cell in cells)

    @property
    def has_editions(self) -> bool:
        return any(cell.edition for cell in self.every_cell)

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The marks that occur, and what they mean."""
        used = {mark for cell in self.every_cell for mark in cell.marks}
        return tuple((mark, words) for mark, words in LEGEND.items() if mark in used)

    @property
    def trusts(self) -> tuple[Trust, ...]:
        """The trust marks of the cells, each once, with their meaning."""
        used = {cell.trust.word for cell in self.every_cell}
        return tuple(one for one in MEANINGS if one.why and any(one.word in word for word in used))

    @property
    def steps_of_both(self) -> str:
        """Why estimates of one direction and of both do not add up; empty where not both are there."""
        together = {
            column.direction.startswith(TOGETHER)
            for row in self.cells
            for column, cells in zip(self.columns, row, strict=True)
            if any(cell.figure.mark == "estimate" for cell in cells)
        }
        return STEPS_OF_BOTH if len(together) > 1 else ""

    @property
    def limits(self) -> tuple[str, ...]:
        """The limits of the cells, each word once."""
        used = {cell.limit for cell in self.every_cell}
        return tuple(word for word in LIMIT_WORDS.values() if word in used)


def parse_labels(texts: Sequence[str]) -> Labels:
    """`LABEL=PATTERN` (a load's name, `*` for any part of it), or a template such as `{size}b {vm}`."""
    template, patterns = "", []
    for text in texts:
        label, equals, pattern = text.partition("=")
        if "{" in text:
            template = text
        elif equals and label.strip() and pattern.strip():
            patterns.append((label.strip(), pattern.strip()))
        else:
            raise UsageError(
                f"row label {text!r} cannot be read: give LABEL=LOAD such as '64b=bench size=64', or a template of the "
                "load's settings such as '{size}b {vm}'"
            )
    return Labels(template, tuple(patterns))


def matrix(comparison: ReportedResults, *, both: Both = "each", labels: Labels = BY_NAME) -> ReportMatrix:
    """Columns in the order of first use, tests in one direction before those in several; searches behind the tests of
    the same device and direction."""
    cells_at: dict[tuple[str, Column], list[MatrixCell]] = {}
    rows: dict[str, None] = {}
    known: list[ResultLoad] = []
    edition = editions(comparison.results, days=True)
    for kind, results in comparison.kinds.items():
        shown = report_of(kind)
        places = shown.charts(results)
        for result in results if shown.in_matrix else ():
            load = load_of(result)
            load = next((one for one in known if load.like(one)), load)
            known.append(load)
            label = _label(load, result.variables.tunables, labels)
            rows[label] = None
            verdict = comparison.verdicts[result.name]
            for entry in shown.entries(result, load, verdict, both):
                column = Column(dut_name(result), entry.direction, entry.goal)
                cell = _cell_of(entry, verdict, both, places[result.name], edition[result.name], result.ending.started)
                cells_at.setdefault((label, column), []).append(cell)
    columns = _ordered(dict.fromkeys(column for _, column in cells_at))
    single = [column for column in columns if not column.direction.startswith(TOGETHER)]
    ordered = (*single, *(column for column in columns if column not in single))
    cells = tuple(tuple(tuple(cells_at.get((label, column), ())) for column in ordered) for label in rows)
    return ReportMatrix(ordered, tuple(rows), cells)


def _ordered(columns: Iterable[Column]) -> list[Column]:
    """Goals behind the figures of the same device and direction."""
    places: dict[tuple[str, str], int] = {}
    for column in columns:
        places.setdefault(_place(column), len(places))
    return sorted(columns, key=lambda column: (places[_place(column)], bool(column.goal)))


def _place(column: Column) -> tuple[str, str]:
    """Several directions at once are one place, since a search has them all together."""
    return column.dut, column.direction.partition(" ")[0]


def _cell_of(entry: MatrixEntry, verdict: Verdict, both: Both, anchor: str, edition: str, started: str) -> MatrixCell:
    percent, of_percent = _share(entry.figure, both)
    limit = entry.limit or verdict.limit
    return MatrixCell(
        test=verdict.name,
        figure=entry.figure,
        percent=percent,
        of_percent=of_percent,
        row=entry.row,
        limited_by=limit.by,
        sentence=limit.sentence,
        anchor=anchor,
        marks=entry.marks + (BROKEN_OFF if verdict.status != COMPLETE else ""),
        spark=entry.spark,
        edition=edition,
        started=started,
    )


def _share(figure: Figure, both: Both) -> tuple[float | None, int]:
    """A share of all lines together, or of one hundred each."""
    times = figure.lines if both == "sum200" else 1
    return rounded(None if figure.line_percent is None else figure.line_percent * times), 100 * times


def _label(load: ResultLoad, tunables: Tunables | None, labels: Labels) -> str:
    for label, pattern in labels.patterns:
        if fnmatchcase(load.name, pattern) or fnmatchcase(load.title, pattern):
            return label
    if not labels.template:
        return load.title
    known: dict[str, str] = {"profile": load.profile, "load": load.name}
    if load.frame_bytes is not None:
        known["frame"] = f"{load.frame_bytes:.0f}"
    if isinstance(tunables, Mapping):
        known |= {str(key): words(value) for key, value in tunables.items()}
    else:
        known |= dict(pair.split("=", 1) for pair in load.tunables.split(",") if "=" in pair)
    try:
        return labels.template.format_map(_Absent(known)).strip()
    except (ValueError, IndexError, AttributeError, TypeError):
        raise UsageError(
            f"row label {labels.template!r} is not a template: name settings in braces, such as '{{size}}b {{vm}}'"
        ) from None


class _Absent(dict[str, str]):
    """A setting that a load does not have is an empty word."""

    def __missing__(self, key: str) -> str:
        return ""
