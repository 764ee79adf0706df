"""The charts of load tests as plotly figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wirespeed.report.dots import dotted, line_and_dots, panel_traces
from wirespeed.report.dut_panels import PANEL_PX, account_of, axis, panels_of
from wirespeed.report.layout import loss_axis, stacked
from wirespeed.report.loads import SAME_SIZE, Group
from wirespeed.report.more_panels import more_panels
from wirespeed.report.search_charts import bounds_on_ramp
from wirespeed.report.searches import searches_of
from wirespeed.report.traces import (
    ALARM,
    COLOURS,
    DASHES,
    Figure,
    Trace,
    label,
    legend,
    loss_floor,
    reference,
    short,
)
from wirespeed.results.analysis import SUM, Curve
from wirespeed.results.figures import Scaler, loss_text, percent_text
from wirespeed.results.outcome import Knee
from wirespeed.results.point import Point
from wirespeed.results.search import SearchResult

RECEIVED_PX, LOSS_PX, TIME_PX = 340, 190, 280


def load_figure(
    group: Group, channels: frozenset[str], scaler: Scaler, searches: Sequence[SearchResult] = ()
) -> Figure:
    """Received load, loss and the router's telemetry over the offered load, one under the other on one axis; with the
    bounds that `searches` of the same tests found."""
    curves = [(test, curve) for test in group.tests for curve in test.curves if curve.measured]
    thresholds = sorted({test.threshold for test in group.tests})
    floor = loss_floor([point.loss_ratio for _, curve in curves for point in curve.measured], thresholds)
    styles = _styles(group)
    curves_of = {test.result.name: test.curves[0].channel for test in group.tests}
    traces: list[Trace] = []
    for test, curve in curves:
        style = styles[test.result.name, curve.channel]
        if curve.channel not in channels:
            if curve.channel != SUM:
                continue
            style = style | {"visible": "legendonly"}
        traces.append(_received(curve, style, scaler))
        traces.append(_loss(curve, style, scaler, floor))
        if any(point.spoilt for point in curve.measured):
            traces.append(_spoilt(curve, style, scaler, floor))
        if curve.outcome.saturated:
            traces.append(_knee(curve.outcome.saturated, style, scaler))
    accounts = [account_of(test) for test in group.tests]
    panels, more = panels_of(accounts), more_panels(group.tests)
    of_test = {name: styles[name, channel] for name, channel in curves_of.items()}
    where = f"offered %{{x:.4g}} {scaler.unit}"
    traces += panel_traces(panels, accounts, of_test, 3, scaler.divisor, where)
    for number, extra in enumerate(more, start=3 + len(panels)):
        for line in extra.lines:
            dots = [(held, pps / scaler.divisor, value) for held, pps, value in line.dots]
            style = of_test[line.test] | {"yaxis": f"y{number}"}
            traces.append(dotted(dots, style, where, f"{line.test} {line.label}", line.unit, line.dash))
    most = max((point.offered_pps for _, curve in curves for point in curve.measured if curve.lines == 1), default=0)
    traces += _references(group, scaler, most, thresholds)
    for number, test in enumerate(group.tests):
        found = searches_of(test, group.load, searches)
        colour = COLOURS[number % len(COLOURS)]
        traces += bounds_on_ramp(found, colour, scaler, max([most, *_lines(group)]), floor)
    for number, extra in enumerate(more, start=3 + len(panels)):
        end = short(most / scaler.divisor)
        traces += [
            reference(label(floor.label), [0, end], [floor.value] * 2) | {"yaxis": f"y{number}", "showlegend": False}
            for floor in extra.floors
        ]
    layout = stacked(
        [RECEIVED_PX, LOSS_PX, *(PANEL_PX for _ in (*panels, *more))],
        [
            f"<b>received</b> ({scaler.unit})",
            "<b>loss</b> of what was offered",
            *(panel.title for panel in panels),
            *(panel.title for panel in more),
        ],
        f"offered load of a channel ({scaler.unit})",
        legend(traces),
    )
    layout["yaxis2"] |= loss_axis(floor)
    for number, panel in enumerate(panels, start=3):
        layout[f"yaxis{number}"] |= axis(panel, accounts)
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
            times = [short(point.t_s) for point in curve.points]
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
    return {"data": traces, "layout": stacked([TIME_PX], [title], "time (s)", legend(traces))}


def _styles(group: Group) -> dict[tuple[str, str], Trace]:
    """What makes the traces of one test and channel one: name, colour of the test, dash of the channel."""
    styles = {}
    for number, test in enumerate(group.tests):
        for place, curve in enumerate(test.curves):
            name = test.result.name if len(test.curves) == 1 else f"{test.result.name} {curve.channel}"
            dash = "dot" if curve.channel == SUM else DASHES[place % len(DASHES)]
            styles[test.result.name, curve.channel] = {
                "type": "scatter",
                "name": label(name),
                "legendgroup": f"{number}.{place}",
                "line": {"color": COLOURS[number % len(COLOURS)], "dash": dash, "width": 2},
            }
    return styles


def _received(curve: Curve, style: Trace, scaler: Scaler) -> Trace:
    dots = [
        (
            point.phase != "ramp",
            point.offered_pps / scaler.divisor,
            point.received_pps / scaler.divisor,
            [_share(point), f"{loss_text(point.loss_ratio)}{_why_spoilt(point)}"],
        )
        for point in curve.measured
    ]
    return (
        style
        | line_and_dots(dots, style)
        | {
            "hovertemplate": f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}, "
            f"received %{{y:.4g}} {scaler.unit}"
            "<br>%{customdata[0]} of line, loss %{customdata[1]}<extra></extra>",
        }
    )


def _loss(curve: Curve, style: Trace, scaler: Scaler, floor: float) -> Trace:
    dots = [
        (
            point.phase != "ramp",
            point.offered_pps / scaler.divisor,
            max(point.loss_ratio, floor),
            f"{loss_text(point.loss_ratio)}{_why_spoilt(point)}",
        )
        for point in curve.measured
    ]
    hover = f"%{{fullData.name}}<br>offered %{{x:.4g}} {scaler.unit}: loss %{{customdata}}<extra></extra>"
    return style | line_and_dots(dots, style) | {"yaxis": "y2", "showlegend": False, "hovertemplate": hover}


def _spoilt(curve: Curve, style: Trace, scaler: Scaler, floor: float) -> Trace:
    """Crosses on the samples whose loss is the machine's doing; the line below tells why."""
    spoilt = [point for point in curve.measured if point.spoilt]
    return style | {
        "x": _scaled(spoilt, lambda point: point.offered_pps, scaler),
        "y": [short(max(point.loss_ratio, floor)) for point in spoilt],
        "yaxis": "y2",
        "mode": "markers",
        "marker": {"size": 7, "symbol": "x-thin", "line": {"width": 1.5, "color": style["line"]["color"]}},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _knee(found: Knee, style: Trace, scaler: Scaler) -> Trace:
    """A diamond where received stops following offered, with the bounds of that load."""
    where = "" if found.offered_percent is None else f", {percent_text(found.offered_percent)} % of line"
    at, low, high = (short(pps / scaler.divisor) for pps in (found.offered_pps, found.low_pps, found.high_pps))
    return style | {
        "x": [at],
        "y": [short(found.plateau_pps / scaler.divisor)],
        "error_x": {"type": "data", "symmetric": False, "array": [high - at], "arrayminus": [at - low]},
        "mode": "markers",
        "marker": {"size": 10, "symbol": "diamond", "color": style["line"]["color"]},
        "showlegend": False,
        "hovertemplate": f"%{{fullData.name}}<br>saturated at %{{x:.4g}} {scaler.unit} offered "
        f"({low:.4g} to {high:.4g}){where}<extra></extra>",
    }


def _lines(group: Group) -> list[float]:
    """The different line rates of one direction; packets a second."""
    lines: list[float] = []
    for test in group.tests:
        for curve in test.curves:
            pps = curve.line_pps
            if curve.lines == 1 and pps and all(abs(pps - known) > SAME_SIZE * known for known in lines):
                lines.append(pps)
    return lines


def _references(group: Group, scaler: Scaler, most_pps: float, thresholds: Sequence[float]) -> list[Trace]:
    lines = _lines(group)
    end = short(max([most_pps, *lines]) / scaler.divisor)
    drawn = [
        reference(f"line rate {scaler.text(pps)} {scaler.unit}", [0, end], [pps / scaler.divisor] * 2) for pps in lines
    ]
    drawn.append(reference("received = offered", [0, end], [0, end], dash="dot"))
    drawn += [
        reference(f"loss {ratio * 100:g} %", [0, end], [ratio] * 2, ALARM, "dash") | {"yaxis": "y2"}
        for ratio in thresholds
        if ratio > 0
    ]
    return drawn


def _scaled(points: Sequence[Point], value: Callable[[Point], float], scaler: Scaler) -> list[float]:
    return [short(value(point) / scaler.divisor) for point in points]


def _share(point: Point) -> str:
    """The received load as a share of the line; one of ours never reads as more than all of it."""
    percent = point.line_percent
    return "?" if percent is None else f"{percent_text(min(percent, 100.0 * point.lines))} %"


def _why_spoilt(point: Point) -> str:
    return f"<br>spoilt: {point.spoilt}" if point.spoilt else ""
