"""Panels of the dashboards: a title, a description, a unit, and the queries.

Each function returns a builder of the SDK without a place and a number; `board` gives it both.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Protocol

from grafana_foundation_sdk.builders import common, heatmap, prometheus, stat, timeseries
from grafana_foundation_sdk.models import common as words
from grafana_foundation_sdk.models import heatmap as heat
from grafana_foundation_sdk.models.dashboard import DataSourceRef, GridPos, Panel
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

DATASOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
"""A variable, which works in provisioned files and in manual imports."""

WIDTH = 24
"""Columns of Grafana's grid."""


class PanelBuilder(Protocol):
    """The interface that the SDK's panel builders share without a common type."""

    def build(self) -> Panel: ...


@dataclass(frozen=True)
class Query:
    """`legend` names labels as `{{label}}`. With `at_end` only the last value is queried."""

    expr: str
    legend: str
    at_end: bool = False


@dataclass(frozen=True)
class Placed:
    """A panel that waits for its place: columns and rows of the grid that it takes."""

    panel: PanelBuilder
    width: int
    height: int


def _targets(queries: tuple[Query, ...], form: PromQueryFormat) -> list[prometheus.Dataquery]:
    targets = []
    for index, query in enumerate(queries):
        target = prometheus.Dataquery().ref_id(chr(ord("A") + index)).expr(query.expr)
        target = target.legend_format(query.legend).format(form).datasource(DATASOURCE)
        targets.append(target.instant() if query.at_end else target.range())
    return targets


def lines(
    title: str,
    answers: str,
    unit: str,
    *queries: Query,
    width: int = 12,
    height: int = 8,
    log: bool = False,
    least: float | None = 0,
    most: float | None = None,
    stacked: bool = False,
) -> Placed:
    """Curves over time. `log`: a logarithmic scale. `stacked`: areas that sum."""
    panel = timeseries.Panel().title(title).description(answers).datasource(DATASOURCE).unit(unit)
    panel = panel.targets(_targets(queries, PromQueryFormat.TIME_SERIES))  # type: ignore[arg-type]
    panel = panel.line_width(1).fill_opacity(70 if stacked else 0).show_points(words.VisibilityMode.NEVER)
    panel = panel.tooltip(
        common.VizTooltipOptions().mode(words.TooltipDisplayMode.MULTI).sort(words.SortOrder.DESCENDING)
    )
    panel = panel.legend(
        common.VizLegendOptions()
        .display_mode(words.LegendDisplayMode.TABLE)
        .placement(words.LegendPlacement.BOTTOM)
        .show_legend(True)
        .calcs(["lastNotNull", "max"])
    )
    if stacked:
        panel = panel.stacking(common.StackingConfig().mode(words.StackingMode.NORMAL).group("A"))
    if log:
        panel = panel.scale_distribution(common.ScaleDistributionConfig().type(words.ScaleDistribution.LOG).log(10))
    elif least is not None:
        panel = panel.min(least)
    if most is not None:
        panel = panel.max(most)
    return Placed(panel, width, height)


def number(title: str, answers: str, unit: str, *queries: Query, width: int = 4, height: int = 4) -> Placed:
    """The latest value in large type; several values are side by side."""
    panel = stat.Panel().title(title).description(answers).datasource(DATASOURCE).unit(unit)
    panel = panel.targets(_targets(queries, PromQueryFormat.TIME_SERIES))  # type: ignore[arg-type]
    panel = panel.graph_mode(words.BigValueGraphMode.AREA).color_mode(words.BigValueColorMode.NONE)
    panel = panel.reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]).values(False))
    return Placed(panel.text_mode(words.BigValueTextMode.VALUE_AND_NAME), width, height)


def heat_map(title: str, answers: str, unit: str, query: Query, width: int = 12, height: int = 8) -> Placed:
    """A heat map of a histogram's buckets: `query` sums their rates by `le`."""
    panel = heatmap.Panel().title(title).description(answers).datasource(DATASOURCE)
    panel = panel.targets(_targets((query,), PromQueryFormat.HEATMAP))  # type: ignore[arg-type]
    panel = panel.calculate(False).y_axis(heatmap.YAxisConfig().unit(unit).axis_placement(words.AxisPlacement.LEFT))
    colour = heatmap.HeatmapColorOptions().mode(heat.HeatmapColorMode.SCHEME).scheme("Viridis")
    panel = panel.color(colour.scale(heat.HeatmapColorScale.EXPONENTIAL).exponent(0.5).steps(64))
    return Placed(panel.cell_gap(0).show_tooltip(), width, height)


def placed(panel: Placed, number_of_it: int, x: int, y: int) -> Panel:
    """A copy of the built panel with number and position: the SDK does not number panels, and omits position 0, 0."""
    built = copy(panel.panel.build())
    built.id_val = number_of_it
    built.grid_pos = GridPos(x=x, y=y, w=panel.width, h=panel.height)
    return built
