"""Reading of a report's charts: curves, and compressed data of a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from dataclasses import replace
from typing import Any

from wirespeed.charts.chart import Chart, Curve
from wirespeed.measurement.load import group_by_load
from wirespeed.measurement.loadtest.charts import load_chart, time_chart
from wirespeed.measurement.search.result import SearchResult
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.figures import MEGA

_DATA = re.compile(r'(<script type="application/octet-stream" id="data">)([^<]*)(</script>)')


def unpacked(page: str) -> dict[str, Any]:
    """`figures`, `listed` and `folds` of a page."""
    found = _DATA.search(page)
    assert found is not None
    data: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(found[2])))
    return data


def opened(page: str) -> str:
    """The page with every fold filled."""
    folds = unpacked(page)["folds"]
    return re.sub(r'<div data-fold="(\d+)"></div>', lambda found: folds[int(found[1])], page)


def over_load(
    comparison: ReportedResults, number: int, channels: frozenset[str], bounds: tuple[SearchResult, ...] = ()
) -> Chart:
    """The chart over load, with x values in millions."""
    group = group_by_load(comparison.kinds["loadtest"])[number]
    return load_chart(f"load-{number}", group, replace(comparison.shown(MEGA, channels), bounds=bounds))


def over_time(comparison: ReportedResults, number: int, channels: frozenset[str]) -> Chart:
    group = group_by_load(comparison.kinds["loadtest"])[number]
    return time_chart(f"time-{number}", group, comparison.shown(MEGA, channels))


def curves(chart: Chart, name: str, panel: int = 0) -> list[Curve]:
    return [curve for curve in chart.panels[panel].curves if curve.name == name]


def curve(chart: Chart, name: str, panel: int = 0) -> Curve:
    (found,) = curves(chart, name, panel)
    return found


def panel_titles(chart: Chart) -> list[str]:
    return [panel.title for panel in chart.panels]
