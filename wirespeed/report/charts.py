"""The charts as plotly figures (plain dicts of its JSON schema), without colours of paper, text and grid.

Those belong to the reader's light or dark theme and are set by the page. Text inside a chart passes through
plotly's own small markup, so every name that came from outside is escaped for it.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from typing import Any

from wirespeed.report.analysis import SUM, Analysis, Curve, Point
from wirespeed.report.comparison import SAME_SIZE, Group
from wirespeed.report.table import Scaler

Figure = dict[str, Any]

# Of about equal lightness, so that each is seen on white and on black; neighbours differ for the colour-blind too.
COLOURS = ("#2f7de1", "#e07a10", "#12946b", "#c8438c", "#8a66d9", "#a58312", "#1898b0", "#d64a3f")
REFERENCE = "#8a8f98"
ALARM = "#d3302f"
DASHES = ("solid", "dash", "dashdot", "longdash")

TELEMETRY = {"cycles_per_packet": "cycles / packet", "vectors_per_call": "vectors / call"}
PANEL_PX = {"received": 340, "loss": 190, "telemetry": 150}
GAP_PX = 46
LEGEND_ROW_PX = 21
MOST_DRAWN = 1e18
LEAST_LOSS = 1e-7  # about one packet in a second of 64-byte frames at 10 Gb/s


def load_figure(
    group: Group, channels: frozenset[str], scaler: Scaler, threshold: float, telemetry: Sequence[str]
) -> Figure:
    """Received load, loss and the router's telemetry over the offered load, one under the other on one axis."""
    shown = [(test, curve) for test in group.tests for curve in test.curves if curve.measured]
    heights = [PANEL_PX["received"], PANEL_PX["loss"], *(PANEL_PX["telemetry"] for _ in telemetry)]
    traces: list[dict[str, Any]] = []
    floor = _loss_floor([curve for _, curve in shown], threshold)
    styles = _styles(group)
    for test, curve in shown:
        style = styles[test.result.name, curve.channel]
        hidden = curve.channel not in channels
        if hidden and curve.channel != SUM:
            continue
        common = style | {"visible": "legendonly"} if hidden else style
        traces.append(_received(curve, common, scaler))
        traces.append(_loss(curve, common, scaler, floor))
        if curve.saturation:
            traces.append(_saturation(curve, common, scaler))
    for axis, key in enumerate(telemetry, start=3):
        traces += [_telemetry(test, styles, key, axis, scaler) for test in group.tests if has_telemetry(test, key)]
    most = max((point.offered_pps for _, curve in shown for point in curve.measured if curve.channel != SUM), default=0)
    traces += _references(group, scaler, most, threshold)
    titles = [
        f"<b>received</b> ({scaler.unit})",
        "<b>loss</b> of what was offered",
        *(f"<b>{TELEMETRY[key]}</b> of the router" for key in telemetry),
    ]
    layout = _stacked(heights, titles, f"offered load of a channel ({scaler.unit})", _legend_px(traces))
    layout["yaxis2"] |= _loss_axis(floor)
    layout["xaxis"]["rangemode"] = layout["yaxis"]["rangemode"] = "tozero"
    for axis in range(3, 3 + len(telemetry)):
        layout[f"yaxis{axis}"]["rangemode"] = "tozero"
    return {"data": traces, "layout": layout}


def time_figure(group: Group, channels: frozenset[str], scaler: Scaler) -> Figure:
    """Offered and received load of every channel over the whole test, warm-up and drain included."""
    traces: list[dict[str, Any]] = []
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
    layout = _stacked([280], [f"<b>received</b> and offered (dotted) ({scaler.unit})"], "time (s)", _legend_px(traces))
    layout["yaxis"]["rangemode"] = "tozero"
    return {"data": traces, "layout": layout}


def has_telemetry(test: Analysis, key: str) -> bool:
    """Whether any sample of ramp or hold carries a number under `key`."""
    return any(value is not None for _, value in _telemetry_points(test, key))


def _styles(group: Group) -> dict[tuple[str, str], dict[str, Any]]:
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


def _received(curve: Curve, style: dict[str, Any], scaler: Scaler) -> dict[str, Any]:
    points = curve.measured
    return style | {
        "x": _scaled(points, lambda point: point.offered_pps, scaler),
        "y": _scaled(points, lambda point: point.received_pps, scaler),
        "customdata": [[_percent(point.line_percent, 2), _percent(point.loss_ratio * 100, 4)] for point in points],
        "mode": "lines",
        "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}, received %{{y:.4g}} {scaler.unit}"
        "<br>%{customdata[0]} of line, loss %{customdata[1]}<extra></extra>",
    }


def _loss(curve: Curve, style: dict[str, Any], scaler: Scaler, floor: float) -> dict[str, Any]:
    points = curve.measured
    return style | {
        "x": _scaled(points, lambda point: point.offered_pps, scaler),
        "y": [_short(max(point.loss_ratio, floor)) for point in points],
        "customdata": [_percent(point.loss_ratio * 100, 4) for point in points],
        "yaxis": "y2",
        "mode": "lines+markers",
        "marker": {"size": 3, "color": style["line"]["color"]},
        "showlegend": False,
        "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}: loss %{{customdata}}<extra></extra>",
    }


def _saturation(curve: Curve, style: dict[str, Any], scaler: Scaler) -> dict[str, Any]:
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


def _telemetry(
    test: Analysis, styles: dict[tuple[str, str], dict[str, Any]], key: str, axis: int, scaler: Scaler
) -> dict[str, Any]:
    """A router has one cost for all its channels, so it is drawn over the mean of their offered loads."""
    points = [(pps, value) for pps, value in _telemetry_points(test, key) if value is not None]
    return styles[test.result.name, test.curves[0].channel] | {
        "name": html.escape(test.result.name),
        "x": [_short(pps / scaler.divisor) for pps, _ in points],
        "y": [_short(value) for _, value in points],
        "yaxis": f"y{axis}",
        "mode": "lines",
        "showlegend": False,
        "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}: %{{y:.4g}} {TELEMETRY[key]}"
        "<extra></extra>",
    }


def _telemetry_points(test: Analysis, key: str) -> list[tuple[float, float | None]]:
    total = test.curves[-1]
    pairs = zip(total.points, test.result.samples, strict=True)
    return [
        (point.offered_pps / total.lines, _finite(sample.dut.get(key))) for point, sample in pairs if point.measured
    ]


def _references(group: Group, scaler: Scaler, most_pps: float, threshold: float) -> list[dict[str, Any]]:
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


def _reference(
    name: str, x: list[float], y: list[float], colour: str = REFERENCE, dash: str = "solid"
) -> dict[str, Any]:
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


def _loss_axis(floor: float) -> dict[str, Any]:
    lowest = round(math.log10(floor))
    decades = range(lowest + 1, 1)
    step = 1 + len(decades) // 6
    ticks = [exponent for exponent in decades if -exponent % step == 0]
    return {
        "type": "log",
        "range": [lowest - 0.15, 0.15],
        "tickvals": [floor, *(10.0**exponent for exponent in ticks)],
        "ticktext": ["none", *(f"{100 * 10.0**exponent:.{max(0, -exponent - 2)}f} %" for exponent in ticks)],
    }


def _stacked(heights: Sequence[int], titles: Sequence[str], x_title: str, legend_px: int) -> dict[str, Any]:
    """Panels of the given heights, the first on top, on one x axis under the last."""
    margin = {"t": 34 + legend_px, "b": 52, "l": 70, "r": 44}
    inner = sum(heights) + GAP_PX * (len(heights) - 1)
    layout: dict[str, Any] = {
        "height": inner + margin["t"] + margin["b"],
        "margin": margin,
        "hovermode": "closest",
        "legend": {"orientation": "h", "x": 0, "y": 1 + 26 / inner, "yanchor": "bottom", "tracegroupgap": 0},
        "modebar": {"orientation": "v"},
        "annotations": [],
        "xaxis": {
            "title": {"text": x_title},
            "anchor": "y" if len(heights) == 1 else f"y{len(heights)}",
            "showspikes": True,
            "spikemode": "across",
            "spikethickness": 1,
            "spikedash": "dot",
            "spikesnap": "cursor",
            "zeroline": False,
        },
    }
    top = inner
    for number, (height, title) in enumerate(zip(heights, titles, strict=True), start=1):
        layout["yaxis" if number == 1 else f"yaxis{number}"] = {
            "domain": [max(0.0, (top - height) / inner), top / inner],
            "zeroline": False,
        }
        heading = {"text": title, "x": 0, "y": top / inner, "xref": "paper", "yref": "paper", "showarrow": False}
        layout["annotations"].append(heading | {"xanchor": "left", "yanchor": "bottom", "yshift": 3})
        top -= height + GAP_PX
    return layout


def _legend_px(traces: Sequence[dict[str, Any]]) -> int:
    """Height of a legend that is wrapped at about 150 letters a row."""
    letters = sum(len(trace["name"]) + 8 for trace in traces if trace.get("showlegend", True))
    return LEGEND_ROW_PX * (1 + letters // 150)


def _scaled(points: Sequence[Point], value: Callable[[Point], float], scaler: Scaler) -> list[float]:
    return [_short(value(point) / scaler.divisor) for point in points]


def _short(value: float) -> float:
    """Six digits draw the same picture in half the page."""
    return float(f"{value:.6g}")


def _percent(value: float | None, digits: int) -> str:
    return "?" if value is None else f"{value:.{digits}g} %" if abs(value) < 1 else f"{value:.2f} %"


def _finite(value: Any) -> float | None:
    """A number that can be drawn: telemetry comes from the file as it is."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < MOST_DRAWN else None
