"""What the templates of the page are given: small values made from a comparison, here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Cards, Drawn, Grid, Place, Section
from wirespeed.measurement.registry import report_of
from wirespeed.measurement.reported import Remark
from wirespeed.pages.duts import dut_name
from wirespeed.pages.words import count, words
from wirespeed.report.answer_views import AnswerCards, answer_cards
from wirespeed.report.charts import load_chart, time_chart
from wirespeed.report.comparison import Comparison
from wirespeed.report.explanation_views import Explained, explanation_views
from wirespeed.report.hardware import Machine, machines
from wirespeed.report.loads import load_of_test
from wirespeed.report.looks import colours_of
from wirespeed.report.matrix import BY_NAME, Both, Labels, matrix
from wirespeed.report.power import power_grid
from wirespeed.report.remarks import thresholds_text
from wirespeed.report.setup_views import KindOfTest, kinds_of
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
    cards: tuple[Cards, ...]
    loads: tuple[LoadCharts, ...]
    sections: tuple[Section, ...]
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
    tests, drawn = comparison.tests, Drawn()
    colours = colours_of(comparison.results)
    loads = []
    for number, group in enumerate(comparison.groups):
        over_load = load_chart(f"load-{number}", group, channels, scaler, colours, comparison.bounds)
        over_time = time_chart(f"time-{number}", group, channels, scaler, colours)
        loads.append(LoadCharts(group.load.name, drawn.place(over_load), drawn.place(over_time)))
    why = explanation_views(comparison.explanations, _charts(comparison), scaler)
    table = matrix(comparison, both=both, labels=labels) if tests or comparison.bounds else None
    return Page(
        title=title,
        meta=(*_meta(comparison), date),
        listed=_listed(comparison),
        answers=answer_cards(comparison, colours),
        matrix=matrix_view(table, comparison, scaler, colours) if table is not None else None,
        summary=summary(comparison, scaler) if tests else None,
        cards=() if tests else _cards(comparison),
        loads=tuple(loads),
        sections=tuple(
            section
            for kind, results in comparison.others.items()
            for section in report_of(kind).sections(results, comparison.verdicts, scaler, drawn)
        ),
        explained=why,
        nodes=node_tables(comparison, scaler),
        remarks=comparison.remarks,
        kinds=kinds_of(comparison),
        charts=tuple(drawn.charts),
        hardware=machines(inspections),
        power=power_grid(comparison, scaler),
    )


def _cards(comparison: Comparison) -> tuple[Cards, ...]:
    found = (report_of(kind).cards(results, comparison.verdicts) for kind, results in comparison.others.items())
    return tuple(one for one in found if one is not None)


def _listed(comparison: Comparison) -> tuple[Listed, ...]:
    """Names, devices, loads and kinds, in small letters."""
    found: list[tuple[MeasurementResult, str]] = [
        *((test.result, f"load test {load_of_test(test).name}") for test in comparison.tests),
        *((one, report_of(kind).found_by(one)) for kind, some in comparison.others.items() for one in some),
    ]
    return tuple(Listed(one.name, f"{one.name} {dut_name(one)} {words_of}".lower()) for one, words_of in found)


def _charts(comparison: Comparison) -> dict[str, str]:
    """The chart that shows a result over its loads, or its time, by the name of the result."""
    found = {
        test.result.name: f"load-{number}" for number, group in enumerate(comparison.groups) for test in group.tests
    }
    for kind, results in comparison.others.items():
        places = ((result.name, report_of(kind).chart(number)) for number, result in enumerate(results))
        found |= {name: place for name, place in places if place}
    return found


def _meta(comparison: Comparison) -> tuple[str, ...]:
    tests = comparison.tests
    parts = []
    if tests:
        parts.append(f"{count(len(tests), 'test')} with {count(len(comparison.groups), 'load')}")
    parts += [report_of(kind).counted(len(results)) for kind, results in comparison.others.items()]
    if tests:
        parts.append(f"loss threshold {thresholds_text(tests)}")
    names = list(dict.fromkeys(words(result.dut["name"]) for result in comparison.results if "name" in result.dut))
    named = ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else "")
    return (named, *parts) if named else tuple(parts)
