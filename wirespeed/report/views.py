"""Values for the templates of the page, made from a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.charts.chart import Chart
from wirespeed.charts.page_parts import Cards, PageSection, SummaryTable
from wirespeed.measurement.registry import report_of
from wirespeed.measurement.reported import Both, Remark
from wirespeed.pages.duts import dut_name
from wirespeed.pages.words import first_of
from wirespeed.report.comparison import ReportedResults
from wirespeed.report.explanation_views import Explained, explanation_views
from wirespeed.report.matrix import BY_NAME, Labels, ReportMatrix, matrix
from wirespeed.report.nodes import node_tables
from wirespeed.report.power import power_grid
from wirespeed.report.setup_views import KindOfTest, kinds_of
from wirespeed.results.figures import Scaler
from wirespeed.results.inspection import Inspection
from wirespeed.tables import Grid

MOST_NAMED = 4


@dataclass(frozen=True)
class Listed:
    """A result, and all the words that it is found by."""

    name: str
    text: str


@dataclass(frozen=True)
class HtmlPage:
    """The whole page but its looks; `meta` are the parts of the line below the title, `colours` are by device."""

    title: str
    meta: tuple[str, ...]
    listed: tuple[Listed, ...]
    scaler: Scaler
    colours: Mapping[str, str]
    matrix: ReportMatrix | None
    summary: SummaryTable | None
    cards: tuple[Cards, ...]
    sections: tuple[PageSection, ...]
    explained: Explained
    nodes: Mapping[str, Sequence[Grid]]
    remarks: tuple[Remark, ...]
    kinds: tuple[KindOfTest, ...]
    charts: tuple[Chart, ...]
    hardware: Sequence[Inspection]
    power: Grid


def page_of(
    comparison: ReportedResults,
    *,
    title: str,
    scaler: Scaler,
    channels: frozenset[str],
    date: str,
    both: Both = "each",
    labels: Labels = BY_NAME,
    inspections: Sequence[Inspection] = (),
) -> HtmlPage:
    """View models of all parts; `channels` names the curves to draw, `date` is printed as it is; `both` and `labels`
    shape the matrix; `inspections` are of the machines that took part."""
    shown = comparison.shown(scaler, channels)
    by_kind = {kind: (report_of(kind), results) for kind, results in comparison.kinds.items()}
    sections = tuple(section for kind, results in by_kind.values() for section in kind.sections(results, shown))
    answering = [one for one in by_kind.values() if one[0].leads] or by_kind.values()
    has_matrix = any(kind.in_matrix for kind, _ in by_kind.values())
    summaries = (kind.summary(results, shown) for kind, results in by_kind.values())
    charts = {name: place for kind, results in by_kind.values() for name, place in kind.charts(results).items()}
    return HtmlPage(
        title=title,
        meta=(*_meta(comparison), date),
        listed=_listed(comparison),
        cards=tuple(cards for kind, results in answering if (cards := kind.cards(results, shown)) is not None),
        scaler=scaler,
        colours=shown.colours,
        matrix=matrix(comparison, both=both, labels=labels) if has_matrix else None,
        summary=next(filter(None, summaries), None),
        sections=sections,
        explained=explanation_views(comparison.explanations, charts, comparison.verdicts.values(), scaler),
        nodes=node_tables(comparison, scaler),
        remarks=comparison.remarks,
        kinds=kinds_of(comparison),
        charts=tuple(shown.drawn.charts),
        hardware=inspections,
        power=power_grid(comparison, scaler),
    )


def _listed(comparison: ReportedResults) -> tuple[Listed, ...]:
    """Names, devices, loads and kinds, in small letters."""
    return tuple(
        Listed(one.name, f"{one.name} {dut_name(one)} {report_of(one.kind).found_by(one)}".lower())
        for one in comparison.results
    )


def _meta(comparison: ReportedResults) -> tuple[str, ...]:
    parts = [report_of(kind).counted(results) for kind, results in comparison.kinds.items()]
    parts += filter(None, (report_of(kind).judged(results) for kind, results in comparison.kinds.items()))
    is_named = any(result.dut.name for result in comparison.results)
    names = list(dict.fromkeys(dut_name(result) for result in comparison.results if is_named))
    named = first_of(names, MOST_NAMED)
    return (named, *parts) if named else tuple(parts)
