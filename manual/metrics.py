"""docs/metrics.md: the exporter's families, and the alerts and dashboards that use them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from wirespeed.exporter.families import FAMILIES, PHASES

_TELEMETRY = Path(__file__).resolve().parents[1] / "telemetry"
_BOARDS = ("router", "load-test", "testbed", "soak")


def metrics_page() -> str:
    """The whole page."""
    return "\n".join(
        [
            *("# Metrics, alerts and dashboards", "", "How to set them up: [telemetry.md](telemetry.md).", ""),
            *("Sections: [Metrics](#metrics-of-the-exporter), [Alerts](#alerts), [Dashboards](#dashboards).", ""),
            *("## Metrics of the exporter", ""),
            "A number of cycles ÷ `wirespeed_router_clock_hertz` is a time in seconds. Threads are named as in "
            f"`show runtime`. A phase is one of {', '.join(f'`{phase}`' for phase in PHASES)}; all are 0 "
            "after the test.",
            *("", "| family | type | labels | description |", "|---|---|---|---|"),
            *(
                f"| `{one.name}` | {one.kind} | {', '.join(one.labels)} | {_cell(one.help)} |"
                for one in FAMILIES.values()
            ),
            *("", "## Alerts", "", "`telemetry/prometheus/rules/alerts.yml` has their conditions.", ""),
            *("| alert | severity | meaning | action |", "|---|---|---|---|", *_alerts()),
            *("", "## Dashboards", "", "Grafana shows each description as the help of its panel."),
            *(line for name in _BOARDS for line in _board(name)),
            *("", "`python -m manual references docs` writes this page from the code.", ""),
        ]
    )


def _alerts() -> Iterator[str]:
    groups = yaml.safe_load((_TELEMETRY / "prometheus/rules/alerts.yml").read_text())["groups"]
    for rule in (rule for group in groups for rule in group["rules"]):
        told = rule["annotations"]
        meaning = told["description"].replace("{{ $labels.kind }} {{ $labels.target }}", "a target")
        cells = (f"`{rule['alert']}`", rule["labels"]["severity"], meaning, told["action"])
        yield f"| {' | '.join(map(_cell, cells))} |"


def _board(name: str) -> Iterator[str]:
    board = json.loads((_TELEMETRY / f"grafana/boards/{name}.json").read_text())
    yield from ("", f"### {board['title']}", "", board["description"], "", f"![dashboard](pictures/board-{name}.png)")
    yield from ("", "| panel | description |", "|---|---|")
    panels: list[dict[str, Any]] = board["panels"]
    yield from (f"| {_cell(one['title'])} | {_cell(one['description'])} |" for one in panels if one["type"] != "row")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
