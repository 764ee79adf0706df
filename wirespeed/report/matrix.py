"""The table that articles end with: loads down, devices and directions across, in each cell the figure of the verdict.

A test in one direction stands in its direction's column. Of a test in both directions at once, each has a column
(`each`), or they have one together, as a share of 200 % (`sum200`) or of 100 % (`sum100`). What a search found has a
column a goal, with the goal's lower and upper bound: of one direction, or, of a search in both at once, of each or of
their sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Literal

from wirespeed.errors import UsageError
from wirespeed.measurement.load import Load, load_of
from wirespeed.measurement.loadtest.analysis import SUM, Analysis, Curve
from wirespeed.measurement.registry import report_of
from wirespeed.pages.duts import dut_name
from wirespeed.pages.words import words
from wirespeed.report.comparison import Comparison
from wirespeed.report.table import Line, line_of
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import rounded
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Figure, LimitedBy, Verdict

Both = Literal["each", "sum200", "sum100"]
TOGETHER = "both"
SMOOTHED, IRREGULAR, BROKEN_OFF = "~", "◇", "†"


@dataclass(frozen=True)
class Labels:
    """What rows are called: `template` with the load's own words, and over it the label of the first pattern that the
    load's name matches."""

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


@dataclass(frozen=True)
class Cell:
    """The result `test` in a column, or its part of one `channel`. `percent` is of `of_percent`; `row` is a dataclass
    of all else that is known of it, `anchor` is where the page has its chart, `marks` are what qualifies it beside its
    bound."""

    test: str
    channel: str
    figure: Figure
    percent: float | None
    of_percent: int
    row: Any
    limited_by: LimitedBy
    sentence: str
    anchor: str
    marks: str

    @property
    def rate_pps(self) -> float | None:
        return self.figure.rate_pps

    @property
    def upper_pps(self) -> float | None:
        """The upper bound, of a figure that was searched."""
        return self.figure.upper_pps


@dataclass(frozen=True)
class Matrix:
    """`cells` of a row go with `columns`; a cell holds every test of that load, device and direction."""

    columns: tuple[Column, ...]
    labels: tuple[str, ...]
    cells: tuple[tuple[tuple[Cell, ...], ...], ...]


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


def matrix(comparison: Comparison, *, both: Both = "each", labels: Labels = BY_NAME) -> Matrix:
    """Columns in the order of first use, tests in one direction before those in several; searches behind the tests of
    the same device and direction."""
    found: dict[tuple[str, Column], list[Cell]] = {}
    rows: dict[str, None] = {}
    for number, group in enumerate(comparison.groups):
        for test in group.tests:
            label = _label(group.load, test.result.variables, labels)
            rows[label] = None
            for column, curve in _columns(test, both):
                verdict = comparison.verdicts[test.result.name]
                line = line_of(group.load, test, curve, verdict)
                cell = _cell(line, verdict, both, f"load-{number}")
                found.setdefault((label, column), []).append(cell)
    for kind, results in comparison.others.items():
        shown = report_of(kind)
        for number, result in enumerate(results if shown.bounds_loads else ()):
            label = _label(_known_load(load_of(result), comparison), result.variables, labels)
            rows[label] = None
            verdict = comparison.verdicts[result.name]
            for goal, figure, row in shown.columns(result, verdict):
                column, cell = _goal_cell(result, (verdict, figure), row, both, shown.chart(number))
                found.setdefault((label, replace(column, goal=goal)), []).append(cell)
    columns = _ordered(dict.fromkeys(column for _, column in found))
    single = [column for column in columns if not column.direction.startswith(TOGETHER)]
    ordered = (*single, *(column for column in columns if column not in single))
    cells = tuple(tuple(tuple(found.get((label, column), ())) for column in ordered) for label in rows)
    return Matrix(ordered, tuple(rows), cells)


def _ordered(columns: Iterable[Column]) -> list[Column]:
    """Goals behind the figures of the same device and direction."""
    places: dict[tuple[str, str], int] = {}
    for column in columns:
        places.setdefault(_place(column), len(places))
    return sorted(columns, key=lambda column: (places[_place(column)], bool(column.goal)))


def _place(column: Column) -> tuple[str, str]:
    """Several directions at once are one place, since a search has them all together."""
    return column.dut, column.direction.partition(" ")[0]


def _known_load(load: Load, comparison: Comparison) -> Load:
    """The load of the tests beside which a search belongs, whose name it is to have."""
    return next((group.load for group in comparison.groups if load.like(group.load)), load)


def _goal_cell(
    result: MeasurementResult, told: tuple[Verdict, Figure], row: Any, both: Both, anchor: str
) -> tuple[Column, Cell]:
    verdict, figure = told
    lines, first = len(result.directions), str(result.directions[0])
    direction = first if lines == 1 else TOGETHER if both != "each" else f"{TOGETHER} each way"
    if both == "each":
        figure = figure.of(first)
    mark = IRREGULAR if figure.mark == "irregular" else ""
    return Column(dut_name(result), direction), _cell_of("", figure, verdict, row, both, anchor, mark)


def _columns(test: Analysis, both: Both) -> list[tuple[Column, Curve]]:
    dut = dut_name(test.result)
    if len(test.curves) == 1:
        return [(Column(dut, test.curves[0].channel), test.curves[0])]
    if both == "each":
        return [(Column(dut, f"{TOGETHER} {curve.channel}"), curve) for curve in test.directions]
    return [(Column(dut, TOGETHER), curve) for curve in test.curves if curve.channel == SUM]


def _cell(line: Line, verdict: Verdict, both: Both, anchor: str) -> Cell:
    mark = SMOOTHED if "smoothed rates" in line.row.notes else ""
    return _cell_of(line.row.channel, line.held, verdict, line.row, both, anchor, mark)


def _cell_of(channel: str, figure: Figure, verdict: Verdict, row: Any, both: Both, anchor: str, mark: str) -> Cell:
    percent, of_percent = _share(figure, both)
    return Cell(
        test=verdict.name,
        channel=channel,
        figure=figure,
        percent=percent,
        of_percent=of_percent,
        row=row,
        limited_by=verdict.limited_by,
        sentence=verdict.sentence,
        anchor=anchor,
        marks=mark + (BROKEN_OFF if verdict.status != COMPLETE else ""),
    )


def _share(figure: Figure, both: Both) -> tuple[float | None, int]:
    """A share of all lines together, or of one hundred each."""
    times = figure.lines if both == "sum200" else 1
    return rounded(None if figure.line_percent is None else figure.line_percent * times), 100 * times


def _label(load: Load, variables: Mapping[str, Any], labels: Labels) -> str:
    for label, pattern in labels.patterns:
        if fnmatchcase(load.name, pattern):
            return label
    if not labels.template:
        return load.name
    known: dict[str, str] = {"profile": load.profile, "load": load.name}
    if load.frame_bytes is not None:
        known["frame"] = f"{load.frame_bytes:.0f}"
    tunables = variables.get("tunables")
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
