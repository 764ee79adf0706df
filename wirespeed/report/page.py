"""The report as one HTML page that needs nothing but itself: styles, plotly and the figures are in it.

Text from results goes through `html.escape`; figures travel as JSON in a script element that no `<` can leave. A
content security policy forbids the page to load anything at all.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any

from plotly.offline import get_plotlyjs

from wirespeed import __version__
from wirespeed.report.charts import load_figure, time_figure
from wirespeed.report.comparison import Comparison, Group, settings, status
from wirespeed.report.table import NOTHING, Row, Scaler, cells, headings, rows

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
FIRST_FIGURE_COLUMN, LAST_FIGURE_COLUMN, PERCENT_COLUMN = 3, 9, 7


def to_html(comparison: Comparison, *, title: str, scaler: Scaler, channels: frozenset[str], date: str) -> str:
    """The whole page; `channels` names the curves to draw, `date` is printed as it is."""
    figures: dict[str, Any] = {}
    loads = []
    for number, group in enumerate(comparison.groups):
        figures[f"load-{number}"] = load_figure(group, channels, scaler, comparison.threshold)
        figures[f"time-{number}"] = time_figure(group, channels, scaler)
        loads.append(_group(number, group, figures))
    body = [
        _head(comparison, title, date),
        _warnings(comparison.remarks),
        _summary(comparison, scaler),
        *loads,
        _configuration(comparison),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{escape(title)}</title>",
            f"<style>{_asset('page.css')}</style></head>",
            "<body><main>",
            *body,
            f"<footer>Written by wirespeed {escape(__version__)}; charts drawn by plotly.js (MIT).</footer>",
            "</main>",
            f"<script>{get_plotlyjs()}</script>",
            f'<script type="application/json" id="figures">{script_json(figures)}</script>',
            f"<script>{_asset('page.js')}</script>",
            "</body></html>\n",
        ]
    )


def script_json(value: Any) -> str:
    """JSON that can stand in a script element: no tag can open or close in it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _head(comparison: Comparison, title: str, date: str) -> str:
    tests, loads = len(comparison.tests), len(comparison.groups)
    return (
        f"<header><h1>{escape(title)}</h1>"
        f'<p class="meta">{_count(tests, "test")} with {_count(loads, "load")} · loss threshold '
        f"{comparison.threshold * 100:g} % · {escape(date)}</p>"
        "<noscript><p>The charts need JavaScript; the tables do not.</p></noscript></header>"
    )


def _warnings(remarks: Sequence[str]) -> str:
    if not remarks:
        return ""
    items = "".join(f"<li>{escape(remark)}</li>" for remark in remarks)
    return f'<section class="warnings" id="warnings"><h2>Warnings</h2><ul>{items}</ul></section>'


def _summary(comparison: Comparison, scaler: Scaler) -> str:
    head = "".join(
        f'<th scope="col" class="{_alignment(index)}"><button type="button">{escape(text)}</button></th>'
        for index, text in enumerate(headings(comparison, scaler))
    )
    body = "".join(_row(row, scaler) for row in rows(comparison))
    return (
        '<section id="summary"><h2>Summary</h2><div class="scroll"><table class="sortable">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        '<p class="caption">Only ramp and hold count. Loss is the share of the packets asked for that did not come '
        "back, those included that the medium or the tester would not take. L2 counts frame bytes, L1 adds 20 a frame "
        "(preamble, start, gap); both, and % of line rate (L1), are at the maximum. Saturated is the first load from "
        "which loss above the threshold persists. The line of a sum is all its channels: two make 200 %.</p></section>"
    )


def _row(row: Row, scaler: Scaler) -> str:
    sort_keys = (
        *(row.test, row.load, row.channel),
        *(row.ok_pps, row.max_pps, row.max_l2_bps, row.max_l1_bps, row.max_line_percent),
        *(row.saturation_offered_pps, row.saturation_line_percent),
        row.notes,
    )
    filled = min(100.0, (row.max_line_percent or 0) / row.lines)
    columns = []
    for index, (key, text) in enumerate(zip(sort_keys, cells(row, scaler), strict=True)):
        bar = f' style="--filled:{filled:.1f}%"' if index == PERCENT_COLUMN and text != NOTHING else ""
        kind = _alignment(index) + (" bar" if bar else "")
        value = "" if key is None else str(key)
        columns.append(f'<td class="{kind}" data-key="{escape(value)}"{bar}>{escape(text)}</td>')
    return f'<tr class="{"sum" if row.channel == "sum" else "channel"}">{"".join(columns)}</tr>'


def _alignment(column: int) -> str:
    return "figure" if FIRST_FIGURE_COLUMN <= column <= LAST_FIGURE_COLUMN else "text"


def _group(number: int, group: Group, figures: dict[str, Any]) -> str:
    name = escape(group.load.name)
    load, time = _chart(f"load-{number}", name, figures), _chart(f"time-{number}", f"{name} over time", figures)
    return (
        f'<section class="load"><h2>{name}</h2>{load}'
        '<p class="caption">Received load and loss over the offered load; a diamond marks where a test saturates. '
        "Dots are samples of the hold. Samples without loss are drawn at the foot of the loss axis. "
        '<span class="screen">Click a legend entry to hide it, double-click to see it alone; drag to zoom, '
        "double-click to return.</span></p>"
        f"<details><summary>Over time</summary>{time}"
        '<p class="caption">Received load, and dotted the offered load, with warm-up and drain.</p></details></section>'
    )


def _chart(identity: str, label: str, figures: dict[str, Any]) -> str:
    height = figures[identity]["layout"]["height"]
    return f'<div class="chart" id="{identity}" style="height:{height}px" role="img" aria-label="{label}"></div>'


def _configuration(comparison: Comparison) -> str:
    """What all tests share as one list, what tells them apart as a table."""
    tests = comparison.tests
    values = [settings(test) for test in tests]
    keys = list(dict.fromkeys(key for value in values for key in value))
    shared = [key for key in keys if len({value.get(key) for value in values}) == 1]
    apart = [key for key in keys if key not in shared]
    pairs = "".join(f"<tr><th scope=row>{escape(key)}</th><td>{escape(values[0][key])}</td></tr>" for key in shared)
    head = "".join(f"<th scope=col>{escape(key)}</th>" for key in ("test", *apart, "samples", "outcome"))
    lines = "".join(
        _cells(
            [test.result.name, *(value.get(key, NOTHING) for key in apart), str(len(test.result.samples)), _end(test)]
        )
        for test, value in zip(tests, values, strict=True)
    )
    return (
        '<section id="configuration"><h2>Configuration</h2><div class="scroll"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
        + (
            f'<h3>The same in all tests</h3><div class="scroll"><table class="pairs">{pairs}</table></div>'
            if shared
            else ""
        )
        + "</section>"
    )


def _end(test: Any) -> str:
    reason = test.result.outcome.get("reason")
    return status(test) if not reason else f"{status(test)}: {reason}"


def _cells(values: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{escape(value)}</td>' for value in values)}</tr>"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _asset(name: str) -> str:
    return resources.files("wirespeed.report").joinpath(name).read_text(encoding="utf-8")
