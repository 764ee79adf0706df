"""RFC 2544's own graphs: throughput against the theoretical line and latency by frame size, loss rate over load; and
what the device told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wirespeed.report.dots import panel_traces
from wirespeed.report.dut_panels import PANEL_PX, account_of_trials, axis, panels_of
from wirespeed.report.layout import stacked
from wirespeed.report.traces import COLOURS, DASHES, REFERENCE, Figure, Trace, label, legend, short
from wirespeed.results.figures import Scaler
from wirespeed.results.rfc2544 import FrameLossRow, LatencyRow, Rfc2544Result, ThroughputRow

HEIGHT_PX = 300
CATEGORIES = {"type": "category", "rangemode": "normal", "showspikes": False}


def throughput_figure(rows: Sequence[ThroughputRow], scaler: Scaler) -> Figure:
    """Section 26.1: frame rate by frame size, the theoretical rate of the media above it."""
    frames = [label(row.frame) for row in rows]
    known = [row for row in rows if row.line_pps]
    traces: list[Trace] = []
    if known:
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": "theoretical",
                "x": [label(row.frame) for row in known],
                "y": [short((row.line_pps or 0.0) / scaler.divisor) for row in known],
                "line": {"color": REFERENCE, "dash": "dot", "width": 1.6},
                "marker": {"size": 6, "symbol": "line-ew-open", "line": {"width": 2}},
                "hovertemplate": f"%{{x}}: theoretical %{{y:.5g}} {scaler.unit}<extra></extra>",
            }
        )
    # An irregular throughput is an open dot.
    measured = [row.throughput_pps for row in rows]
    traces.append(
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": "throughput",
            "x": frames,
            "y": [None if pps is None else short(pps / scaler.divisor) for pps in measured],
            "customdata": [label(_throughput_text(row)) for row in rows],
            "connectgaps": False,
            "line": {"color": COLOURS[0], "width": 2},
            "marker": {"size": 9, "symbol": ["circle-open" if row.irregular else "circle" for row in rows]},
            "hovertemplate": f"%{{x}}: %{{y:.5g}} {scaler.unit}%{{customdata}}<extra></extra>",
        }
    )
    return _by_size(traces, f"<b>throughput</b> ({scaler.unit} each way)")


def latency_figure(rows: Sequence[LatencyRow]) -> Figure:
    """Section 26.2: mean latency by frame size, from the least to the most, a line a direction."""
    traces: list[Trace] = []
    for number, direction in enumerate(dict.fromkeys(row.direction for row in rows)):
        some = [(row, spread) for row in rows if row.direction == direction and (spread := row.spread_us) is not None]
        if not some:
            continue
        means = [spread.mean for _, spread in some]
        least = [max(0.0, mean - (row.least_us or mean)) for (row, _), mean in zip(some, means, strict=True)]
        most = [max(0.0, (row.most_us or mean) - mean) for (row, _), mean in zip(some, means, strict=True)]
        colour = COLOURS[number % len(COLOURS)]
        frames = [label(row.frame) for row, _ in some]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": label(direction),
                "x": frames,
                "y": [short(mean) for mean in means],
                "error_y": {"type": "data", "symmetric": False, "array": most, "arrayminus": least, "thickness": 1},
                "line": {"color": colour, "dash": DASHES[number % len(DASHES)], "width": 2},
                "marker": {"size": 8, "symbol": ["circle-open" if row.irregular else "circle" for row, _ in some]},
                "hovertemplate": "%{fullData.name}, %{x}: mean %{y:.4g} µs<extra></extra>",
            }
        )
        floors = [(label(row.frame), row.floor_us) for row, _ in some if row.floor_us is not None]
        if floors:
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "name": label(f"{direction} without the router"),
                    "x": [frame for frame, _ in floors],
                    "y": [short(floor) for _, floor in floors],
                    "line": {"color": REFERENCE, "dash": "dot", "width": 1.2},
                    "hoverinfo": "skip",
                }
            )
    return _by_size(traces, "<b>latency</b> (µs): mean, bars from least to most")


def loss_figure(rows: Sequence[FrameLossRow]) -> Figure:
    """Section 26.3: percent lost over the input rate in percent of the theoretical one; both axes from 0 to 100."""
    traces: list[Trace] = []
    for number, row in enumerate(rows):
        points = sorted(row.points, key=lambda point: point.offered_percent)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": label(row.frame),
                # No frames offered, none lost: the left end that the RFC asks for.
                "x": [0.0, *(short(point.offered_percent) for point in points)],
                "y": [0.0, *(short(point.loss_percent) for point in points)],
                "customdata": ["", *(label(f", {why}" if (why := point.irregular) else "") for point in points)],
                "line": {"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)], "width": 2},
                "marker": {
                    "size": 7,
                    "symbol": ["circle", *("circle-open" if point.irregular else "circle" for point in points)],
                },
                "hovertemplate": "%{fullData.name}: %{x:.4g} % of line offered, %{y:.4g} % lost%{customdata}"
                "<extra></extra>",
            }
        )
    layout = stacked(
        [HEIGHT_PX], ["<b>frame loss rate</b> (%)"], "input rate (% of the theoretical rate)", legend(traces)
    )
    layout["xaxis"] |= {"range": [0, 100], "rangemode": "normal"}
    layout["yaxis"] |= {"range": [0, 100], "rangemode": "normal"}
    return {"data": [trace | {"cliponaxis": False} for trace in traces], "layout": layout}


def device_figure(suite: Rfc2544Result, scaler: Scaler) -> Figure | None:
    """What the device told under the trials, over their load; a colour a frame size. None where it told nothing."""
    accounts = [
        account_of_trials(frame, [(trial.load_pps, trial.trial) for trial in suite.trials if trial.frame == frame])
        for frame in dict.fromkeys(trial.frame for trial in suite.trials)
    ]
    panels = panels_of(accounts)
    if not panels:
        return None
    styles = {
        account.name: {
            "type": "scatter",
            "legendgroup": label(account.name),
            "line": {"color": COLOURS[number % len(COLOURS)], "width": 1},
        }
        for number, account in enumerate(accounts)
    }
    traces = panel_traces(panels, accounts, styles, 1, scaler.divisor, f"at %{{x:.4g}} {scaler.unit}")
    named: set[str] = set()
    for trace in traces:
        trace["showlegend"] = trace["legendgroup"] not in named
        named.add(trace["legendgroup"])
    titles = [panel.title for panel in panels]
    layout = stacked([PANEL_PX] * len(panels), titles, f"load of each direction ({scaler.unit})", legend(traces))
    for number, panel in enumerate(panels, start=1):
        layout["yaxis" if number == 1 else f"yaxis{number}"] |= axis(panel, accounts)
    return {"data": traces, "layout": layout}


def _by_size(traces: list[Trace], title: str) -> Figure:
    layout: dict[str, Any] = stacked([HEIGHT_PX], [title], "frame size (bytes, with FCS)", legend(traces))
    layout["xaxis"] |= CATEGORIES
    return {"data": traces, "layout": layout}


def _throughput_text(row: ThroughputRow) -> str:
    share = "" if row.line_percent is None else f", {row.line_percent:.2f} % of line"
    return f"{share}, irregular: {row.irregular}" if row.irregular else share
