"""Queries of the committed dashboards, read from the files as Grafana reads them: panels with their queries,
variables and annotations, and the text that reaches Prometheus once variables are filled in. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

BOARDS = Path(__file__).resolve().parent.parent / "grafana" / "boards"


@dataclass(frozen=True)
class Target:
    """A query of a panel. `at_end`: only its last value is queried."""

    expr: str
    legend: str
    at_end: bool

    @property
    def legend_labels(self) -> list[str]:
        return re.findall(r"{{\s*(\w+)\s*}}", self.legend)


@dataclass(frozen=True)
class PanelFile:
    """A panel. `most` and `least` are the fixed limits of its axis, if it has them; `place` is x, y, width, height."""

    title: str
    answers: str
    kind: str
    unit: str
    place: tuple[int, int, int, int]
    targets: tuple[Target, ...]
    least: float | None
    most: float | None
    log: bool
    stacked: bool


@dataclass(frozen=True)
class BoardFile:
    """A dashboard. `variables` has series and label by name of each variable with a query; `rows` has y by title."""

    name: str
    title: str
    panels: tuple[PanelFile, ...]
    rows: Mapping[str, int]
    variables: Mapping[str, tuple[str, str]]
    annotations: tuple[Mapping[str, Any], ...]


def boards() -> list[BoardFile]:
    return [_board(path) for path in sorted(BOARDS.glob("*.json"))]


def filled(expr: str, window_s: float, variables: Mapping[str, str] | None = None) -> str:
    """`expr` as Grafana sends it: with the values of variables (default: all) and the range of rates filled in."""
    expr = (
        expr.replace("$__rate_interval", f"{round(window_s * 1000)}ms")
        .replace("$__interval", "1s")
        .replace("$__range", "10m")
    )
    return re.sub(r"\$(?:{(\w+):raw}|(\w+))", lambda found: (variables or {}).get(found[1] or found[2], ".*"), expr)


def _board(path: Path) -> BoardFile:
    read = json.loads(path.read_text())
    panels = [panel for panel in read["panels"] if panel["type"] != "row"]
    rows = {panel["title"]: panel["gridPos"]["y"] for panel in read["panels"] if panel["type"] == "row"}
    asked = {each["name"]: each["query"] for each in read["templating"]["list"] if each["type"] == "query"}
    variables = {}
    for name, query in asked.items():
        found = re.fullmatch(r"label_values\((.*), (\w+)\)", query)
        assert found is not None, query
        variables[name] = (found[1], found[2])
    return BoardFile(
        path.stem,
        read["title"],
        tuple(map(_panel, panels)),
        rows,
        variables,
        tuple(read["annotations"]["list"]),
    )


def _panel(panel: Mapping[str, Any]) -> PanelFile:
    defaults = panel["fieldConfig"]["defaults"]
    custom = defaults.get("custom", {})
    place = panel["gridPos"]
    unit = defaults.get("unit") or panel.get("options", {}).get("yAxis", {}).get("unit", "")
    return PanelFile(
        panel["title"],
        panel["description"],
        panel["type"],
        unit,
        (place["x"], place["y"], place["w"], place["h"]),
        tuple(Target(each["expr"], each["legendFormat"], bool(each.get("instant"))) for each in panel["targets"]),
        defaults.get("min"),
        defaults.get("max"),
        custom.get("scaleDistribution", {}).get("type") == "log",
        custom.get("stacking", {}).get("mode") == "normal",
    )
