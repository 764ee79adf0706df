"""The chart of a search: its trials as points over the load, the goals' intervals shaded, latency and what the device
told below; and the bounds that it found as lines on the chart of a load test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.charts.chart import Band, Chart, Curve, Dash, Panel, Rule, direction_dash, short
from wirespeed.charts.colours import COLOURS, colour
from wirespeed.charts.dut_panels import account_of_trials, panels_of
from wirespeed.charts.latency_floor import latency_floors
from wirespeed.charts.sampled import Dot, blank, device_panels, positive, sampled
from wirespeed.charts.scales import loss_floor, loss_scale
from wirespeed.charts.shapes import Symbol
from wirespeed.measurement.load import subject_of
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.rows import IRREGULAR, PERCENTILES, goal_name
from wirespeed.measurement.search.verdict import goal_figure
from wirespeed.results.figures import Scaler, losses_text
from wirespeed.results.search_trial import GoalOutcome, SearchTrial

RECEIVED_PX, LOSS_PX, LATENCY_PX = 300, 180, 170
GOAL_COLOURS = COLOURS[1:]
GOAL_DASHES: tuple[Dash, ...] = ("solid", "dash", "dot")

# Shapes for the kind and the outcome of a trial; colours belong to the goals.
SYMBOLS: dict[str, Symbol] = {
    "trials": "dot",
    "the tester was the limit": "triangle",
    "disturbed by the host": "cross",
    "set aside": "circle",
    "at the highest load (MRR)": "diamond",
    "with latency": "square",
}
OPEN: frozenset[Symbol] = frozenset({"circle", "diamond", "square"})


def search_chart(identity: str, search: SearchResult, scaler: Scaler) -> Chart:
    """Received and lost over the load that was asked for, and the percentiles of latency where it was measured."""
    shown = [trial for trial in search.trials if trial.purpose != "warm-up"]
    allowed = [found.goal.loss_ratio for found in search.goals]
    floor = loss_floor((trial.lost_ratio for trial in shown), allowed)
    received: list[Curve] = []
    lost: list[Curve] = []
    for name, symbol in SYMBOLS.items():
        some = [trial for trial in shown if _sort(trial) == name]
        above, below = _trials(search, some, name, symbol, scaler, floor)
        received, lost = received + above, lost + below
    lines = (
        (Rule(f"line rate {scaler.exact(search.line_pps)} {scaler.unit}", short(search.line_pps / scaler.divisor)),)
        if search.line_pps
        else ()
    )
    latency = _latency(search, scaler)
    accounts = [account_of_trials(search.name, [(trial.load_pps, trial.trial) for trial in shown])]
    style = blank(search.name, COLOURS[0], of=search.name)
    bands = [
        _interval(search, found, found.goal.name.upper(), GOAL_COLOURS[number % len(GOAL_COLOURS)], scaler)
        for number, found in enumerate(search.goals)
    ]
    said = "; ".join(
        f"{goal_name(one.goal)} {goal_figure(search, one).each_way.text_in(scaler)}" for one in search.goals
    )
    return Chart(
        identity=identity,
        sentence=f"{search.name}: trials of the search over the load{said and f'; {said}'}",
        x_title=f"load of each direction ({scaler.unit})",
        x_unit=scaler.unit,
        panels=(
            Panel(
                title=f"received ({scaler.unit} each way)",
                unit=scaler.unit,
                height_px=RECEIVED_PX,
                curves=tuple(received),
                rules=lines,
                diagonal="received = offered",
            ),
            Panel("loss of what was offered", "", LOSS_PX, tuple(lost), loss_scale(floor)),
            *([latency] if latency else []),
            *device_panels(panels_of(accounts), accounts, {search.name: style}, scaler.divisor),
        ),
        bands=tuple(band for band in bands if band is not None),
        x_high=None if not search.line_pps else short(search.line_pps / scaler.divisor),
        title=f"Search, {subject_of(search)}",
    )


def bounds_on_ramp(search: SearchResult, colour: str, scaler: Scaler) -> Iterator[Band]:
    """The goals' intervals on the chart of the load test that the search goes with, in its colour."""
    for number, one in enumerate(search.goals):
        dash = GOAL_DASHES[number % len(GOAL_DASHES)]
        band = _interval(search, one, f"{one.goal.name.upper()} of {search.name}", colour, scaler, dash)
        if band is not None:
            yield band


def _interval(
    search: SearchResult, outcome: GoalOutcome, name: str, colour: str, scaler: Scaler, dash: Dash = "solid"
) -> Band | None:
    """The bounds of a goal, shaded; a line if there is only one bound."""
    upper_pps = None if outcome.is_at_least else outcome.upper_pps
    known = [short(pps / scaler.divisor) for pps in (outcome.lower_pps, upper_pps) if pps is not None]
    if not known:
        return None
    bounds = goal_figure(search, outcome).each_way.text_in(scaler)
    said = f"{name} {bounds}" + (f", {IRREGULAR[1]}" if outcome.irregular else "")
    return Band(said, known[0], known[-1], colour, key=name, dash=dash, of=search.name)


def _sort(trial: SearchTrial) -> str:
    if trial.excluded:
        return "set aside"
    if trial.trial.disturbed:
        return "disturbed by the host"
    if trial.trial.tester_limited:
        return "the tester was the limit"
    return {"mrr": "at the highest load (MRR)", "latency": "with latency"}.get(trial.purpose, "trials")


def _trials(
    search: SearchResult, trials: Sequence[SearchTrial], name: str, symbol: Symbol, scaler: Scaler, floor: float
) -> tuple[list[Curve], list[Curve]]:
    """Received rate and loss of the trials."""
    ways = len(search.directions)
    style = replace(blank(name, COLOURS[0], name, of=search.name), symbol=symbol, is_open=symbol in OPEN)
    received, lost = [], []
    for trial in trials:
        at = trial.load_pps / scaler.divisor
        words = (
            f"trial {trial.number}, {trial.intended_s:g} s: "
            f"offered {scaler.text(trial.offered_pps / ways)}, received {scaler.text(trial.received_pps / ways)}, "
            f"{losses_text(trial.lost_ratio, trial.not_sent_ratio)}{_why(trial)}"
        )
        received.append(Dot(True, at, trial.received_pps / ways / scaler.divisor, words))
        lost.append(Dot(True, at, max(trial.lost_ratio, floor), words))
    return sampled(received, style), sampled(lost, style)


def _why(trial: SearchTrial) -> str:
    why = trial.excluded or trial.trial.disturbed or ""
    return f": {why}" if why else ""


def _latency(search: SearchResult, scaler: Scaler) -> Panel | None:
    """A curve a percentile and direction over the shares of the load at which it was measured."""
    trials = sorted((one for one in search.of("latency") if not one.excluded), key=lambda one: one.load_pps)
    curves: list[Curve] = []
    for place, wire in enumerate(search.directions):
        timed = [(one, found) for one in trials if (found := one.trial.channels[wire].latency) and found.packets]
        for number, key in enumerate((*PERCENTILES, "max")):
            times = [found.max_us if key == "max" else found.percentiles.get(key) for _, found in timed]
            dots = [
                Dot(False, one.load_pps / scaler.divisor, time)
                for (one, _), time in zip(timed, times, strict=True)
                if time is not None
            ]
            if len(dots) < len(timed):
                continue
            name = f"{wire} {'maximum' if key == 'max' else f'{key} %'}"
            dash: Dash = "dot" if key == "max" else direction_dash(place, len(search.directions))
            curves += sampled(dots, blank(name, colour(number), name, dash, 1.6, search.name))
    if not curves:
        return None
    rules = latency_floors(search, search.directions)
    title = "latency (µs): percentiles, maximum dotted"
    return Panel(title, "µs", LATENCY_PX, tuple(curves), positive(curves), rules)
