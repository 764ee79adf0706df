"""Parts of all dashboards: the choice of the data source, variables, the tests' names and phases on the time axis, and
links between dashboards. A board is a value; `as_json` is the text that Grafana reads.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from grafana_foundation_sdk.builders import dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import (
    AnnotationContainer,
    AnnotationQuery,
    Dashboard,
    DashboardCursorSync,
    DashboardLinkType,
    GridPos,
    Panel,
    RowPanel,
    VariableOption,
    VariableRefresh,
    VariableSort,
)

from telemetry.grafana.panels import DATASOURCE, WIDTH, Placed, placed

TAG = "wirespeed"
LOOK_AGAIN = "5s"


@dataclass(frozen=True)
class Variable:
    """Current values of `label` in the series of `of`; all are selected by default."""

    name: str
    title: str
    of: str
    label: str


@dataclass(frozen=True)
class Choice:
    """A choice of regular expressions by name; default: the first. They have no commas. Queries use
    `${name:raw}`, since Grafana escapes other forms."""

    name: str
    title: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Row:
    title: str
    panels: tuple[Placed, ...]


@dataclass(frozen=True)
class Board:
    """`name` is its file and the end of its address, `wirespeed-NAME`."""

    name: str
    title: str
    about: str
    variables: tuple[Variable | Choice, ...]
    rows: tuple[Row, ...]
    annotations: tuple[Annotation, ...]


@dataclass(frozen=True)
class Annotation:
    """Periods in which a series of `expr` is not 0. `title` and `text` are templates with names of labels."""

    name: str
    expr: str
    title: str
    text: str
    colour: str


class PrometheusAnnotation(AnnotationQuery):
    """An annotation with title, text, tags and step, which the SDK's class lacks."""

    def __init__(self, of: Annotation) -> None:
        super().__init__(of.name, DATASOURCE, icon_color=of.colour, expr=of.expr)
        self._of = of

    def to_json(self) -> dict[str, object]:
        return {
            **super().to_json(),
            "titleFormat": self._of.title,
            "textFormat": self._of.text,
            "tagKeys": "phase",
            "step": "1s",
        }


def as_json(board: Board) -> str:
    return json.dumps(_dashboard(board), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


def _dashboard(board: Board) -> Dashboard:
    made = dashboard.Dashboard(board.title).uid(f"wirespeed-{board.name}").description(board.about).tags([TAG])
    made = made.timezone("browser").refresh(LOOK_AGAIN).time("now-15m", "now").editable()
    made = made.tooltip(DashboardCursorSync.CROSSHAIR)
    made = made.with_variable(dashboard.DatasourceVariable("datasource").label("Data source").type("prometheus"))
    for variable in board.variables:
        made = made.with_variable(_variable(variable) if isinstance(variable, Variable) else _choice(variable))
    made = made.link(
        dashboard.DashboardLink("wirespeed").type(DashboardLinkType.DASHBOARDS).tags([TAG]).keep_time(True)
    )
    built = made.build()
    built.annotations = AnnotationContainer(list_val=[PrometheusAnnotation(each) for each in board.annotations])
    built.panels = _laid_out(board.rows)
    return built


def _variable(variable: Variable) -> dashboard.QueryVariable:
    made = dashboard.QueryVariable(variable.name).label(variable.title).datasource(DATASOURCE)
    made = made.query(f"label_values({variable.of}, {variable.label})")
    made = made.refresh(VariableRefresh.ON_TIME_RANGE_CHANGED).sort(VariableSort.ALPHABETICAL_ASC)
    made = made.multi(True).include_all(True).all_value(".*")
    return made.current(VariableOption(selected=True, text="All", value="$__all"))


def _choice(choice: Choice) -> dashboard.CustomVariable:
    made = dashboard.CustomVariable(choice.name).label(choice.title)
    made = made.values(", ".join(f"{text} : {value}" for text, value in choice.options))
    options = [
        VariableOption(selected=not at, text=text, value=value) for at, (text, value) in enumerate(choice.options)
    ]
    return made.options(options).current(options[0])


def _laid_out(rows: Sequence[Row]) -> list[Panel | RowPanel]:
    """Positions from left to right; a panel that does not fit into a row begins the next one."""
    out: list[Panel | RowPanel] = []
    y = 0
    for row in rows:
        out.append(RowPanel(title=row.title, id_val=len(out) + 1, grid_pos=GridPos(x=0, y=y, w=WIDTH, h=1)))
        y += 1
        x = tallest = 0
        for panel in row.panels:
            if x + panel.width > WIDTH:
                x, y, tallest = 0, y + tallest, 0
            out.append(placed(panel, len(out) + 1, x, y))
            x += panel.width
            tallest = max(tallest, panel.height)
        y += tallest
    return out
