"""One call from result files to the text of a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from wirespeed.charts.chart import Chart
from wirespeed.errors import UsageError
from wirespeed.measurement.reported import Both, Remark
from wirespeed.report.comparison import ReportedResults, compare, read_all, select_channels
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.report.matrix import matrix, parse_labels
from wirespeed.report.matrix_text import matrix_to_csv, matrix_to_json, matrix_to_markdown
from wirespeed.report.nodes import all_rows, nodes_to_markdown
from wirespeed.report.page import to_html
from wirespeed.report.power import PowerRow, power_grid, power_rows
from wirespeed.report.views import page_of
from wirespeed.results.dut import NodeRow
from wirespeed.results.dut_names import UNNAMED, DutNames
from wirespeed.results.figures import Scaler, parse_scaler
from wirespeed.results.inspection import is_inspection, read_inspection
from wirespeed.tables import json_text, rows_csv
from wirespeed.units import parse_speed

Format = Literal["html", "md", "csv", "json"]
Layout = Literal["list", "matrix", "nodes", "power"]

_ROWS: dict[
    str, tuple[type[Any], Callable[[ReportedResults], Iterable[Any]], Callable[[ReportedResults, Scaler], str]]
] = {
    "nodes": (NodeRow, all_rows, nodes_to_markdown),
    "power": (PowerRow, power_rows, lambda comparison, scaler: power_grid(comparison, scaler).markdown),
}
"""Layouts whose rows are the same in each format: the dataclass, the rows, and the table for people."""


@dataclass(frozen=True)
class Report:
    """`charts` are those of the page, none of a table."""

    text: str
    remarks: tuple[Remark, ...]
    charts: tuple[Chart, ...] = ()


def render(
    paths: Sequence[Path],
    *,
    title: str,
    date: str,
    threshold: float | None = None,
    scaler: str = "1000000:M",
    only_channels: Sequence[str] = (),
    output_format: Format = "html",
    layout: Layout = "list",
    both: Both = "each",
    row_labels: Sequence[str] = (),
    charts: str = "",
    line: str = "",
    include_disturbed: bool = False,
    names: DutNames = UNNAMED,
) -> Report:
    """Read results of any kind and write them down; FileFault and UsageError name what cannot be used.

    `threshold` is that of each file unless given. `line` (such as 1G) is another line to take percentages of. `layout`
    shapes the table of formats other than html: `matrix` is by loads and devices, with `both`, `row_labels` and
    `charts` (the page that its cells link to) as `wirespeed.report.matrix` says; `nodes` is what each
    node of a router cost, `power` the watts at each load. `names` are for devices without one.
    """
    if threshold is not None and not 0 <= threshold <= 1:
        raise UsageError(f"threshold {threshold:g} is not within 0 and 1; 0.001 is 0.1 %")
    unit, labels = parse_scaler(scaler), parse_labels(row_labels)
    line_bps = parse_speed(line) if line else None
    inspected = [path for path in paths if is_inspection(path)]
    inspections = [read_inspection(path) for path in inspected]
    paths = [path for path in paths if path not in inspected]
    exclude_disturbed = False if include_disturbed else None
    tests = read_all(paths, threshold, line_bps=line_bps, exclude_disturbed=exclude_disturbed, names=names)
    channels = select_channels(tests, only_channels)
    comparison = compare(tests, inspections)
    drawn: tuple[Chart, ...] = ()
    if output_format == "html":
        page = page_of(
            comparison,
            title=title,
            scaler=unit,
            channels=channels,
            date=date,
            both=both,
            labels=labels,
            inspections=inspections,
        )
        text, drawn = to_html(page), page.charts
    elif layout == "matrix":
        table = matrix(comparison, both=both, labels=labels)
        text = {
            "md": lambda: matrix_to_markdown(table, unit, charts),
            "csv": lambda: matrix_to_csv(table),
            "json": lambda: matrix_to_json(table, title),
        }[output_format]()
    elif layout == "list":
        text = {
            "md": lambda: to_markdown(comparison, unit),
            "csv": lambda: to_csv(comparison),
            "json": lambda: to_json(comparison, title),
        }[output_format]()
    else:
        kind, rows, to_md = _ROWS[layout]
        text = {
            "md": lambda: to_md(comparison, unit),
            "csv": lambda: rows_csv(kind, rows(comparison)),
            "json": lambda: json_text({"title": title, "rows": list(map(asdict, rows(comparison)))}),
        }[output_format]()
    # Names of files and strings in JSON can hold lone surrogates, which no file can.
    return Report(text.encode(errors="replace").decode(), comparison.remarks, drawn)
