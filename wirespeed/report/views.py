"""What the templates of the page are given: small values made from a comparison, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wirespeed.pages.words import count, three_digits, words
from wirespeed.report.answers import Answer, Trust, answers
from wirespeed.report.charts import load_figure, time_figure
from wirespeed.report.comparison import Comparison
from wirespeed.report.configuration import Configuration, configuration
from wirespeed.report.explanation_views import Explained, explained
from wirespeed.report.hardware import Machine, machines
from wirespeed.report.matrix import BY_NAME, Both, Labels, matrix
from wirespeed.report.other_remarks import ending_text
from wirespeed.report.page_parts import Chart, Grid, place
from wirespeed.report.power import power_grid
from wirespeed.report.remarks import Remark, ending, thresholds_text
from wirespeed.report.rfc2544_views import SuiteView, suite_views
from wirespeed.report.search_views import SearchPart, search_part
from wirespeed.report.searches import IRREGULAR, bounds_text, goal_name, searches_of
from wirespeed.report.soak_views import SoakPart, soak_part
from wirespeed.report.table import (
    FIRST_FIGURE_COLUMN,
    LAST_FIGURE_COLUMN,
    PERCENT_COLUMN,
    Row,
    cells,
    headings,
    rows,
    sort_keys,
)
from wirespeed.report.table_views import MatrixView, NodeTable, matrix_view, node_tables
from wirespeed.results.analysis import SUM
from wirespeed.results.figures import NOTHING, Scaler
from wirespeed.results.file import AnyResult
from wirespeed.results.inspection import Inspection

MOST_NAMED, MOST_CARDS = 4, 8


@dataclass(frozen=True)
class Card:
    """The answer of one router; `bounds` are what searches of the same test found."""

    dut: str
    rate: str
    unit: str
    share: str
    trust: Trust
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerCards:
    """The cards under one heading, and how many routers have none: for want of room, or they carried other loads."""

    heading: str
    cards: tuple[Card, ...]
    more: int


@dataclass(frozen=True)
class Heading:
    """A column of the summary; `kind` is text or figure."""

    text: str
    kind: str


@dataclass(frozen=True)
class Cell:
    """`sort_key` is empty where nothing is known; `filled_percent` is the length of a bar behind the text."""

    text: str
    kind: str
    sort_key: str
    filled_percent: str | None


@dataclass(frozen=True)
class SummaryRow:
    cells: tuple[Cell, ...]
    is_sum: bool


@dataclass(frozen=True)
class Summary:
    headings: tuple[Heading, ...]
    rows: tuple[SummaryRow, ...]


@dataclass(frozen=True)
class LoadCharts:
    """All charts of one load."""

    name: str
    over_load: Chart
    over_time: Chart


@dataclass(frozen=True)
class Ran:
    """A test as it was run; `differing` goes with `Configuration.apart`, `size` is how many samples or trials."""

    name: str
    differing: tuple[str, ...]
    size: int
    ending: str


@dataclass(frozen=True)
class KindOfTest:
    """The configuration of all results of one kind; `sized` is what their size is counted in."""

    heading: str
    sized: str
    found: Configuration
    tests: tuple[Ran, ...]


@dataclass(frozen=True)
class Page:
    """The whole page but its looks; `meta` are the parts of the line below the title."""

    title: str
    meta: tuple[str, ...]
    answers: AnswerCards | None
    summary: Summary | None
    matrix: MatrixView | None
    explained: Explained
    searches: SearchPart | None
    suites: tuple[SuiteView, ...]
    soaks: SoakPart | None
    nodes: tuple[NodeTable, ...]
    loads: tuple[LoadCharts, ...]
    remarks: tuple[Remark, ...]
    kinds: tuple[KindOfTest, ...]
    figures: dict[str, Any]
    hardware: tuple[Machine, ...] = ()
    power: Grid | None = None


def page_of(
    comparison: Comparison,
    *,
    title: str,
    scaler: Scaler,
    channels: frozenset[str],
    date: str,
    both: Both = "each",
    labels: Labels = BY_NAME,
    inspections: Sequence[Inspection] = (),
) -> Page:
    """View models of all parts; `channels` names the curves to draw, `date` is printed as it is; `both` and `labels`
    shape the matrix; `inspections` are of the machines that took part."""
    tests = comparison.tests
    figures: dict[str, Any] = {}
    loads = []
    for number, group in enumerate(comparison.groups):
        name = group.load.name
        drawn = load_figure(group, channels, scaler, comparison.searches)
        over_load = place(f"load-{number}", f"{name}: received load and loss over the offered load", drawn, figures)
        drawn = time_figure(group, channels, scaler)
        over_time = place(f"time-{number}", f"{name}: received and offered load over time", drawn, figures)
        loads.append(LoadCharts(name, over_load, over_time))
    side_by_side = len(tests) + len(comparison.searches) > 1
    table = matrix(comparison, both=both, labels=labels) if side_by_side else None
    return Page(
        title=title,
        meta=(*_meta(comparison), date),
        answers=_answers(comparison, scaler),
        summary=_summary(comparison, scaler) if tests else None,
        matrix=matrix_view(table, scaler) if table is not None else None,
        explained=explained(_results(comparison), _charts(comparison), scaler, inspections),
        searches=search_part(comparison.searches, scaler, figures, with_cards=not tests),
        suites=suite_views(comparison.suites, scaler, figures),
        soaks=soak_part(comparison.soaks, scaler, figures),
        nodes=node_tables(comparison, scaler),
        loads=tuple(loads),
        remarks=comparison.remarks,
        kinds=_kinds(comparison),
        figures=figures,
        hardware=machines(inspections),
        power=power_grid(comparison, scaler),
    )


def _results(comparison: Comparison) -> list[AnyResult]:
    return [*(test.result for test in comparison.tests), *comparison.searches, *comparison.suites, *comparison.soaks]


def _charts(comparison: Comparison) -> dict[str, str]:
    """The chart that shows a result over its loads, or its time, by the name of the result."""
    found = {
        test.result.name: f"load-{number}" for number, group in enumerate(comparison.groups) for test in group.tests
    }
    found |= {search.name: f"search-{number}" for number, search in enumerate(comparison.searches)}
    return found | {soak.name: f"soak-{number}" for number, soak in enumerate(comparison.soaks)}


def _kinds(comparison: Comparison) -> tuple[KindOfTest, ...]:
    """By kind, since their settings are not the same; a heading says which where there are several."""
    tests = comparison.tests
    found: list[tuple[str, str, list[tuple[AnyResult, int, str]]]] = [
        ("load tests", "samples", [(test.result, len(test.result.samples), ending(test)) for test in tests]),
        ("searches", "trials", [(one, len(one.trials), ending_text(one.ending)) for one in comparison.searches]),
        ("RFC 2544", "trials", [(one, len(one.trials), ending_text(one.ending)) for one in comparison.suites]),
        ("soaks", "events", [(one, len(one.events), ending_text(one.ending)) for one in comparison.soaks]),
    ]
    kinds, several = [], sum(bool(results) for _, _, results in found) > 1
    for name, sized, results in found:
        if not results:
            continue
        settings = configuration([result for result, _, _ in results])
        rows = zip(results, settings.rows, strict=True)
        ran = tuple(Ran(result.name, differing, size, how) for (result, size, how), differing in rows)
        heading = f"Configuration: {name}" if several else "Configuration"
        kinds.append(KindOfTest(heading, sized, settings, ran))
    return tuple(kinds)


def _meta(comparison: Comparison) -> tuple[str, ...]:
    tests, searches, suites, soaks = comparison.tests, comparison.searches, comparison.suites, comparison.soaks
    results = _results(comparison)
    parts = []
    if tests:
        parts.append(f"{count(len(tests), 'test')} with {count(len(comparison.groups), 'load')}")
    if searches:
        parts.append("1 search" if len(searches) == 1 else f"{len(searches)} searches")
    if suites:
        parts.append(f"{count(len(suites), 'run')} of RFC 2544")
    if soaks:
        parts.append(count(len(soaks), "soak"))
    if tests:
        parts.append(f"loss threshold {thresholds_text(tests)}")
    names = list(dict.fromkeys(words(result.dut["name"]) for result in results if "name" in result.dut))
    named = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    return (named, *parts) if named else tuple(parts)


def _answers(comparison: Comparison, scaler: Scaler) -> AnswerCards | None:
    found = answers(comparison.groups)
    if found is None:
        return None
    ways = "one direction" if found.directions == 1 else f"{found.directions} directions together"
    return AnswerCards(
        heading=f"{found.load}, {ways}",
        cards=tuple(
            replace(_card(answer, found.directions, scaler), bounds=_bounds(answer, comparison, scaler))
            for answer in found.duts[:MOST_CARDS]
        ),
        more=max(0, len(found.duts) - MOST_CARDS) + found.others,
    )


def _bounds(answer: Answer, comparison: Comparison, scaler: Scaler) -> tuple[str, ...]:
    """What searches of the very test found."""
    (load,) = [group.load for group in comparison.groups if answer.test in group.tests][:1]
    each = " each way" if len(answer.test.directions) > 1 else ""
    return tuple(
        f"{goal_name(one.goal)}: {bounds_text(one, scaler)}{each}{f', {IRREGULAR[1]}' if one.irregular else ''}"
        for search in searches_of(answer.test, load, comparison.searches)
        for one in search.goals
    )


def _card(answer: Answer, lines: int, scaler: Scaler) -> Card:
    whole = "line" if lines == 1 else f"{lines} lines"
    percent = answer.line_percent
    return Card(
        dut=answer.dut,
        rate=three_digits(answer.rate_pps / scaler.divisor),
        unit=scaler.unit,
        share="line rate unknown" if percent is None else f"{three_digits(percent)} % of {whole}",
        trust=answer.trust,
    )


def _summary(comparison: Comparison, scaler: Scaler) -> Summary:
    columns = headings(comparison, scaler)
    return Summary(
        headings=tuple(Heading(text, _kind(index)) for index, text in enumerate(columns)),
        rows=tuple(SummaryRow(_cells(row, scaler), row.channel == SUM) for row in rows(comparison)),
    )


def _cells(row: Row, scaler: Scaler) -> tuple[Cell, ...]:
    filled = f"{max(0.0, min(100.0, (row.max_line_percent or 0) / row.lines)):.1f}"
    return tuple(
        Cell(
            text=text,
            kind=_kind(index),
            sort_key="" if key is None else str(key),
            filled_percent=filled if index == PERCENT_COLUMN and text != NOTHING else None,
        )
        for index, (key, text) in enumerate(zip(sort_keys(row), cells(row, scaler), strict=True))
    )


def _kind(column: int) -> str:
    return "figure" if FIRST_FIGURE_COLUMN <= column <= LAST_FIGURE_COLUMN else "text"
