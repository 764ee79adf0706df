"""What the templates of the page are given: small values made from a comparison, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.chart import Chart
from wirespeed.pages.words import count, words
from wirespeed.report.answer_views import AnswerCards, answer_cards
from wirespeed.report.charts import load_chart, time_chart
from wirespeed.report.comparison import Comparison
from wirespeed.report.duts import dut_name
from wirespeed.report.explanation_views import Explained, explanation_views
from wirespeed.report.hardware import Machine, machines
from wirespeed.report.loads import load_of, load_of_search
from wirespeed.report.looks import colours_of
from wirespeed.report.matrix import BY_NAME, Both, Labels, matrix
from wirespeed.report.page_parts import Drawn, Grid, Place
from wirespeed.report.power import power_grid
from wirespeed.report.remarks import Remark, thresholds_text
from wirespeed.report.rfc2544_views import SuiteView, suite_views
from wirespeed.report.search_views import SearchPart, search_part
from wirespeed.report.setup_views import KindOfTest, kinds_of
from wirespeed.report.soak_views import SoakPart, soak_part
from wirespeed.report.summary_views import Summary, summary
from wirespeed.report.table_views import MatrixView, NodeTable, matrix_view, node_tables
from wirespeed.results.figures import Scaler
from wirespeed.results.inspection import Inspection
from wirespeed.results.measurement import MeasurementResult

MOST_NAMED = 4


@dataclass(frozen=True)
class LoadCharts:
    """All charts of one load."""

    name: str
    over_load: Place
    over_time: Place


@dataclass(frozen=True)
class Listed:
    """A result, and all the words that it is found by."""

    name: str
    text: str


@dataclass(frozen=True)
class Page:
    """The whole page but its looks; `meta` are the parts of the line below the title."""

    title: str
    meta: tuple[str, ...]
    listed: tuple[Listed, ...]
    answers: AnswerCards | None
    matrix: MatrixView | None
    summary: Summary | None
    searches: SearchPart | None
    suites: tuple[SuiteView, ...]
    soaks: SoakPart | None
    loads: tuple[LoadCharts, ...]
    explained: Explained
    nodes: tuple[NodeTable, ...]
    remarks: tuple[Remark, ...]
    kinds: tuple[KindOfTest, ...]
    charts: tuple[Chart, ...]
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
    tests, results = comparison.tests, _results(comparison)
    drawn = Drawn()
    colours = colours_of(results)
    loads = []
    for number, group in enumerate(comparison.groups):
        over_load = load_chart(f"load-{number}", group, channels, scaler, colours, comparison.searches)
        over_time = time_chart(f"time-{number}", group, channels, scaler, colours)
        loads.append(LoadCharts(group.load.name, drawn.place(over_load), drawn.place(over_time)))
    why = explanation_views(comparison.explanations, _charts(comparison), scaler)
    table = matrix(comparison, both=both, labels=labels) if tests or comparison.searches else None
    return Page(
        title=title,
        meta=(*_meta(comparison), date),
        listed=_listed(comparison),
        answers=answer_cards(comparison, colours),
        matrix=matrix_view(table, comparison, scaler, colours) if table is not None else None,
        summary=summary(comparison, scaler) if tests else None,
        searches=search_part(comparison.searches, comparison.verdicts, scaler, drawn, with_cards=not tests),
        suites=suite_views(comparison.suites, comparison.verdicts, scaler, drawn),
        soaks=soak_part(comparison.soaks, comparison.verdicts, scaler, drawn),
        loads=tuple(loads),
        explained=why,
        nodes=node_tables(comparison, scaler),
        remarks=comparison.remarks,
        kinds=kinds_of(comparison),
        charts=tuple(drawn.charts),
        hardware=machines(inspections),
        power=power_grid(comparison, scaler),
    )


def _results(comparison: Comparison) -> list[MeasurementResult]:
    return [*(test.result for test in comparison.tests), *comparison.searches, *comparison.suites, *comparison.soaks]


def _listed(comparison: Comparison) -> tuple[Listed, ...]:
    """Names, devices, loads and kinds, in small letters."""
    found: list[tuple[MeasurementResult, str]] = [
        *((test.result, f"load test {load_of(test).name}") for test in comparison.tests),
        *((search, f"search {load_of_search(search).name}") for search in comparison.searches),
        *((suite, "rfc 2544") for suite in comparison.suites),
        *((soak, "soak") for soak in comparison.soaks),
    ]
    return tuple(Listed(one.name, f"{one.name} {dut_name(one)} {words_of}".lower()) for one, words_of in found)


def _charts(comparison: Comparison) -> dict[str, str]:
    """The chart that shows a result over its loads, or its time, by the name of the result."""
    found = {
        test.result.name: f"load-{number}" for number, group in enumerate(comparison.groups) for test in group.tests
    }
    found |= {search.name: f"search-{number}" for number, search in enumerate(comparison.searches)}
    return found | {soak.name: f"soak-{number}" for number, soak in enumerate(comparison.soaks)}


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
