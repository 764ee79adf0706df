"""The chart of a search: its trials as points over the load, the goals' intervals shaded, latency and what the device
told below; and the bounds that it found as lines on the chart of a load test."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report.dots import panel_traces
from wirespeed.report.dut_panels import PANEL_PX, account_of_trials, axis, panels_of
from wirespeed.report.layout import log_axis, loss_axis, stacked
from wirespeed.report.more_panels import latency_floors
from wirespeed.report.search_rows import PERCENTILES
from wirespeed.report.searches import IRREGULAR, bounds_text
from wirespeed.report.traces import (
    COLOURS,
    Figure,
    Trace,
    band,
    label,
    legend,
    loss_floor,
    reference,
    short,
)
from wirespeed.results.figures import Scaler, loss_text
from wirespeed.results.search import GoalOutcome, SearchResult, SearchTrial

RECEIVED_PX, LOSS_PX, LATENCY_PX = 300, 190, 170
GOAL_COLOURS = COLOURS[1:]
GOAL_DASHES = ("solid", "dash", "dot")

# What a trial was, or what became of it: by a shape, since colours are those of the goals.
SYMBOLS = {
    "trials": "circle",
    "the tester was the limit": "triangle-up",
    "spoilt by the machine": "x-thin-open",
    "set aside": "circle-open",
    "at the highest load (MRR)": "diamond-open",
    "with latency": "square-open",
}


def search_figure(search: SearchResult, scaler: Scaler) -> Figure:
    """Received and lost over the load that was asked for, and the percentiles of latency where it was measured."""
    shown = [trial for trial in search.trials if trial.purpose != "warm-up"]
    allowed = [found.goal.loss_ratio for found in search.goals]
    floor = loss_floor((trial.loss_ratio for trial in shown), allowed)
    most = max([search.line_pps or 0.0, *(trial.load_pps for trial in shown)]) / scaler.divisor
    traces = [reference("received = offered", [0, short(most)], [0, most], dash="dot")]
    if search.line_pps:
        line = search.line_pps / scaler.divisor
        traces.append(
            reference(f"line rate {scaler.text(search.line_pps)} {scaler.unit}", [0, short(most)], [line] * 2)
        )
    for number, found in enumerate(search.goals):
        name = found.goal.name.upper()
        traces += _interval(found, name, GOAL_COLOURS[number % len(GOAL_COLOURS)], scaler, most, floor)
    for name, symbol in SYMBOLS.items():
        some = [trial for trial in shown if _sort(trial) == name]
        traces += _trials(search, some, name, symbol, scaler, floor)
    latency = _latency(search, scaler)
    accounts = [account_of_trials(search.name, [(trial.load_pps, trial.trial) for trial in shown])]
    panels, first = panels_of(accounts), 4 if latency else 3
    style = {search.name: {"type": "scatter", "line": {"color": COLOURS[0], "width": 1}}}
    traces += panel_traces(panels, accounts, style, first, scaler.divisor, f"at %{{x:.4g}} {scaler.unit}")
    layout = stacked(
        [RECEIVED_PX, LOSS_PX, *([LATENCY_PX] if latency else []), *(PANEL_PX for _ in panels)],
        [
            f"<b>received</b> ({scaler.unit} each way)",
            "<b>loss</b> of what was to be offered",
            *(["<b>latency</b> (µs): percentiles, maximum dotted"] if latency else []),
            *(panel.title for panel in panels),
        ],
        f"load of each direction ({scaler.unit})",
        legend([*traces, *latency]),
    )
    layout["yaxis2"] |= loss_axis(floor)
    if latency:
        seen = [y for trace in latency for y in trace["y"] if y > 0]
        layout["yaxis3"] |= log_axis(min(seen), max(seen)) if seen else {}
    for number, panel in enumerate(panels, start=first):
        layout[f"yaxis{number}"] |= axis(panel, accounts)
    return {"data": [*traces, *latency], "layout": layout}


def bounds_on_ramp(
    searches: Sequence[SearchResult], colour: str, scaler: Scaler, most_pps: float, floor: float
) -> list[Trace]:
    """The goals' intervals on the chart of the load test that the searches go with, in its colour."""
    traces: list[Trace] = []
    for search in searches:
        for number, found in enumerate(search.goals):
            dash = GOAL_DASHES[number % len(GOAL_DASHES)]
            name = f"{found.goal.name.upper()} of {search.name}"
            traces += _interval(found, name, colour, scaler, most_pps / scaler.divisor, floor, dash)
    return traces


def _interval(
    found: GoalOutcome, name: str, colour: str, scaler: Scaler, top: float, floor: float, dash: str = "solid"
) -> list[Trace]:
    """A goal's bounds, shaded over both panels: a line where there is but one."""
    upper_pps = None if found.is_at_least else found.upper_pps
    known = [pps / scaler.divisor for pps in (found.lower_pps, upper_pps) if pps is not None]
    if not known:
        return []
    said = f"{name} {bounds_text(found, scaler)}" + (f", {IRREGULAR[1]}" if found.irregular else "")
    style = {"legendgroup": label(name)}
    received = band(label(said), known[0], known[-1], 0, short(top), colour, dash)
    lost = band(label(said), known[0], known[-1], floor, 1, colour, dash)
    return [received | style, lost | style | {"yaxis": "y2", "showlegend": False}]


def _sort(trial: SearchTrial) -> str:
    if trial.set_aside:
        return "set aside"
    if trial.trial.spoilt:
        return "spoilt by the machine"
    if trial.trial.tester_limited:
        return "the tester was the limit"
    return {"mrr": "at the highest load (MRR)", "latency": "with latency"}.get(trial.purpose, "trials")


def _trials(
    search: SearchResult, trials: Sequence[SearchTrial], name: str, symbol: str, scaler: Scaler, floor: float
) -> list[Trace]:
    if not trials:
        return []
    ways = len(search.directions)
    hover = [
        f"trial {trial.number}, {trial.intended_s:g} s at {scaler.text(trial.load_pps)} {scaler.unit}"
        f"<br>offered {scaler.text(trial.offered_pps / ways)}, received {scaler.text(trial.received_pps / ways)}, "
        f"loss {loss_text(trial.loss_ratio)}{label(_why(trial))}"
        for trial in trials
    ]
    style: Trace = {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "legendgroup": name,
        "x": [short(trial.load_pps / scaler.divisor) for trial in trials],
        "customdata": hover,
        "hovertemplate": "%{customdata}<extra></extra>",
        "marker": {"size": 7, "symbol": symbol, "color": COLOURS[0], "line": {"width": 1.4, "color": COLOURS[0]}},
    }
    received = [short(trial.received_pps / ways / scaler.divisor) for trial in trials]
    lost = [short(max(trial.loss_ratio, floor)) for trial in trials]
    return [style | {"y": received}, style | {"y": lost, "yaxis": "y2", "showlegend": False}]


def _why(trial: SearchTrial) -> str:
    why = trial.set_aside or trial.trial.spoilt or ""
    return f": {why}" if why else ""


def _latency(search: SearchResult, scaler: Scaler) -> list[Trace]:
    """A line a percentile and direction over the shares of the load at which it was measured."""
    trials = sorted((one for one in search.of("latency") if not one.set_aside), key=lambda one: one.load_pps)
    traces: list[Trace] = []
    for place, wire in enumerate(search.directions):
        told = [(one, found) for one in trials if (found := one.trial.channels[wire].latency) and found.packets]
        loads = [short(one.load_pps / scaler.divisor) for one, _ in told]
        for number, key in enumerate((*PERCENTILES, "max")):
            times = [found.max_us if key == "max" else found.percentiles.get(key) for _, found in told]
            if not told or any(time is None for time in times):
                continue
            name = f"{wire} {'maximum' if key == 'max' else f'{key} %'}"
            colour = COLOURS[number % len(COLOURS)]
            dash = "dot" if key == "max" else ("solid", "dash")[place % 2]
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": label(name),
                    "legendgroup": label(name),
                    "x": loads,
                    "y": [short(time) for time in times if time is not None],
                    "yaxis": "y3",
                    "line": {"color": colour, "dash": dash, "width": 1.6},
                    "hovertemplate": f"%{{fullData.name}}<br>at %{{x:.4g}} {scaler.unit}: %{{y:.4g}} µs<extra></extra>",
                }
            )
    if traces:
        end = max(x for trace in traces for x in trace["x"])
        traces += [
            reference(label(floor.label), [0, end], [floor.value] * 2) | {"yaxis": "y3"}
            for floor in latency_floors(search, search.directions)
        ]
    return traces
