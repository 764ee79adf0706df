"""The charts as plotly figures, plain dicts of its JSON schema.

Text inside a chart passes through plotly's own small markup, so every name that came from outside is escaped for it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import Any

from wirespeed.report.analysis import SUM, Analysis, Curve, Point
from wirespeed.report.comparison import SAME_SIZE, Group
from wirespeed.report.layout import loss_axis, stacked
from wirespeed.report.table import Scaler
from wirespeed.report.telemetry import Quantity, axis, panels_of, values

Figure = dict[str, Any]
Trace = dict[str, Any]

# Of about equal lightness, so that each is seen on white and on black.
COLOURS = ("#2f7de1", "#e07a10", "#12946b", "#c8438c", "#8a66d9", "#a58312", "#1898b0", "#d64a3f")
REFERENCE = "#8a8f98"
ALARM = "#d3302f"
DASHES = ("solid", "dash", "dashdot", "longdash")

RECEIVED_PX, LOSS_PX, TELEMETRY_PX, TIME_PX = 340, 190, 150, 280
HELD_PX, RAMP_PX = 5, 2
LEAST_LOSS = 1e-7  # about one packet in a second of 64-byte frames at 10 Gb/s


def load_figure(group: Group, channels: frozenset[str], scaler: Scaler, threshold: float) -> Figure:
    """Received load, loss and the router's telemetry over the offered load, one under the other on one axis."""
    curves = [(test, curve) for test in group.tests for curve in test.curves if curve.measured]
    floor = _loss_floor([curve for _, curve in curves], threshold)
    styles = _styles(group)
    traces: list[Trace] = []
    for test, curve in curves:
        style = styles[test.result.name, curve.channel]
        if curve.channel not in channels:
            if curve.channel != SUM:
                continue
            style = style | {"visible": "legendonly"}
        traces.append(_received(curve, style, scaler))
        traces.append(_loss(curve, style, scaler, floor))
        if curve.saturation:
            traces.append(_saturation(curve, style, scaler))
    panels = panels_of(group.tests)
    for number, panel in enumerate(panels, start=3):
        for test in group.tests:
            style = styles[test.result.name, test.curves[0].channel] | {"yaxis": f"y{number}"}
            traces += [
                _telemetry(test, quantity, style, scaler) for quantity in panel.quantities if values(test, quantity)
            ]
    most = max((point.offered_pps for _, curve in curves for point in curve.measured if curve.lines == 1), default=0)
    traces += _references(group, scaler, most, threshold)
    layout = stacked(
        [RECEIVED_PX, LOSS_PX, *(TELEMETRY_PX for _ in panels)],
        [f"<b>received</b> ({scaler.unit})", "<b>loss</b> of what was offered", *(panel.title for panel in panels)],
        f"offered load of a channel ({scaler.unit})",
        _legend(traces),
    )
    layout["yaxis2"] |= loss_axis(floor)
    for number, panel in enumerate(panels, start=3):
        layout[f"yaxis{number}"] |= axis(panel, group.tests)
    return {"data": traces, "layout": layout}


def time_figure(group: Group, channels: frozenset[str], scaler: Scaler) -> Figure:
    """Offered and received load of every channel over the whole test, warm-up and drain included."""
    traces: list[Trace] = []
    styles = _styles(group)
    for test in group.tests:
        for curve in test.curves:
            if curve.channel not in channels:
                continue
            style = styles[test.result.name, curve.channel]
            times = [_short(point.t_s) for point in curve.points]
            received = _scaled(curve.points, lambda point: point.received_pps, scaler)
            offered = _scaled(curve.points, lambda point: point.offered_pps, scaler)
            hover = f"%{{fullData.name}}<br>%{{x:.1f}} s: %{{y:.4g}} {scaler.unit}"
            traces.append(
                style
                | {"x": times, "y": received, "hovertemplate": f"{hover} received<extra></extra>", "mode": "lines"}
            )
            traces.append(
                style
                | {"x": times, "y": offered, "hovertemplate": f"{hover} offered<extra></extra>", "mode": "lines"}
                | {"showlegend": False, "opacity": 0.55, "line": style["line"] | {"width": 1, "dash": "dot"}}
            )
    title = f"<b>received</b> and offered (dotted) ({scaler.unit})"
    return {"data": traces, "layout": stacked([TIME_PX], [title], "time (s)", _legend(traces))}


def _styles(group: Group) -> dict[tuple[str, str], Trace]:
    """What makes the traces of one test and channel one: name, colour of the test, dash of the channel."""
    styles = {}
    for number, test in enumerate(group.tests):
        for place, curve in enumerate(test.curves):
            name = test.result.name if len(test.curves) == 1 else f"{test.result.name} {curve.channel}"
            dash = "dot" if curve.channel == SUM else DASHES[place % len(DASHES)]
            styles[test.result.name, curve.channel] = {
                "type": "scatter",
                "name": html.escape(name),
                "legendgroup": f"{number}.{place}",
                "line": {"color": COLOURS[number % len(COLOURS)], "dash": dash, "width": 2},
            }
    return styles


def _received(curve: Curve, style: Trace, scaler: Scaler) -> Trace:
    dots = [
        (
            point.phase == "hold",
            point.offered_pps / scaler.divisor,
            point.received_pps / scaler.divisor,
            [_percent(point.line_percent, 2), _percent(point.loss_ratio * 100, 4)],
        )
        for point in curve.measured
    ]
    return (
        style
        | _line_and_dots(dots, style)
        | {
            "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}, "
            f"received %{{y:.4g}} {scaler.unit}"
            "<br>%{customdata[0]} of line, loss %{customdata[1]}<extra></extra>",
        }
    )


def _loss(curve: Curve, style: Trace, scaler: Scaler, floor: float) -> Trace:
    dots = [
        (
            point.phase == "hold",
            point.offered_pps / scaler.divisor,
            max(point.loss_ratio, floor),
            _percent(point.loss_ratio * 100, 4),
        )
        for point in curve.measured
    ]
    hover = f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}: loss %{{customdata}}<extra></extra>"
    return style | _line_and_dots(dots, style) | {"yaxis": "y2", "showlegend": False, "hovertemplate": hover}


def _line_and_dots(points: Sequence[tuple[bool, float, float, Any]], style: Trace) -> Trace:
    """Samples of the ramp on a line; those of the hold, all at one load, as dots of their own.

    Each point: whether it was held, x, y, and what its hover text needs.
    """
    rows: list[tuple[bool, float | None, float | None, Any]] = []
    for point in points:
        if point[0] and rows:
            rows.append((False, None, None, None))
        rows.append(point)
    return {
        "x": [None if x is None else _short(x) for _, x, _, _ in rows],
        "y": [None if y is None else _short(y) for _, _, y, _ in rows],
        "customdata": [more for _, _, _, more in rows],
        "mode": "lines+markers",
        "marker": {
            "size": [HELD_PX if held else RAMP_PX for held, *_ in rows],
            "color": style["line"]["color"],
            "line": {"width": 0},
            "opacity": 1,
        },
        "connectgaps": False,
    }


def _saturation(curve: Curve, style: Trace, scaler: Scaler) -> Trace:
    assert curve.saturation is not None
    found = curve.saturation
    where = "" if found.line_percent is None else f", {found.line_percent:.2f} % of line"
    return style | {
        "x": [_short(found.offered_pps / scaler.divisor)],
        "y": [_short(found.received_pps / scaler.divisor)],
        "mode": "markers",
        "marker": {"size": 10, "symbol": "diamond", "color": style["line"]["color"]},
        "showlegend": False,
        "hovertemplate": f"%{{fullData.name}}<br>saturated from %{{x:.4g}} {scaler.unit} offered{where}<extra></extra>",
    }


def _telemetry(test: Analysis, quantity: Quantity, style: Trace, scaler: Scaler) -> Trace:
    dots = [(one.held, one.offered_pps / scaler.divisor, one.value, None) for one in values(test, quantity)]
    return (
        style
        | _line_and_dots(dots, style)
        | {
            "name": html.escape(test.result.name),
            "line": style["line"] | {"dash": quantity.dash},
            "showlegend": False,
            "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}: %{{y:.4g}} {quantity.words}"
            "<extra></extra>",
        }
    )


def _references(group: Group, scaler: Scaler, most_pps: float, threshold: float) -> list[Trace]:
    lines: list[float] = []
    for test in group.tests:
        for curve in test.curves:
            pps = curve.line_pps
            if curve.lines == 1 and pps and all(abs(pps - known) > SAME_SIZE * known for known in lines):
                lines.append(pps)
    end = _short(max([most_pps, *lines]) / scaler.divisor)
    drawn = [
        _reference(f"line rate {scaler.text(pps)} {scaler.unit}", [0, end], [pps / scaler.divisor] * 2) for pps in lines
    ]
    drawn.append(_reference("received = offered", [0, end], [0, end], dash="dot"))
    drawn.append(_reference(f"loss {threshold * 100:g} %", [0, end], [threshold] * 2, ALARM, "dash") | {"yaxis": "y2"})
    return drawn


def _reference(name: str, x: list[float], y: list[float], colour: str = REFERENCE, dash: str = "solid") -> Trace:
    line = {"color": colour, "dash": dash, "width": 1.2}
    return {
        "type": "scatter",
        "mode": "lines",
        "name": name,
        "x": x,
        "y": [_short(value) for value in y],
        "line": line,
        "hoverinfo": "skip",
    }


def _loss_floor(curves: Sequence[Curve], threshold: float) -> float:
    """A decade below the least loss seen, and below the threshold: where samples without loss are drawn."""
    seen = [point.loss_ratio for curve in curves for point in curve.measured if point.loss_ratio > 0]
    return float(10.0 ** (math.floor(math.log10(max(LEAST_LOSS, min([threshold, *seen])))) - 1))


def _legend(traces: Sequence[Trace]) -> list[str]:
    return [trace["name"] for trace in traces if trace.get("showlegend", True)]


def _scaled(points: Sequence[Point], value: Callable[[Point], float], scaler: Scaler) -> list[float]:
    return [_short(value(point) / scaler.divisor) for point in points]


def _short(value: float) -> float:
    """Six digits draw the same picture in half the page."""
    return float(f"{value:.6g}")


def _percent(value: float | None, digits: int) -> str:
    return "?" if value is None else f"{value:.{digits}g} %" if abs(value) < 1 else f"{value:.2f} %"
