"""The chart of a soak: loss over time with its events and gaps marked, how latency drifted, what the device told."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.report.dots import panel_traces
from wirespeed.report.dut_panels import PANEL_PX, Account, Told, axis, panels_of
from wirespeed.report.layout import log_axis, loss_axis, stacked
from wirespeed.report.traces import ALARM, COLOURS, DASHES, REFERENCE, Figure, Trace, label, legend, loss_floor, short
from wirespeed.results.channel import Channel
from wirespeed.results.figures import loss_text
from wirespeed.results.soak import SoakResult, Span
from wirespeed.results.soak_words import WHOSE

LOSS_PX, LATENCY_PX = 240, 190
MINUTE_S, HOUR_S = 60.0, 3600.0
MOST_SPANS = 3000
EVENT_SYMBOLS = {"dut": "diamond", "tester": "triangle-up-open", "machine": "x-thin-open"}


def spans_of(soak: SoakResult) -> tuple[tuple[Span, ...], str]:
    """The narrowest spans, from minutes on, that go back to the beginning, and what their width is called; seconds of a
    soak that has hardly a minute."""
    began_s = soak.total.at_s if soak.total is not None else 0.0
    if len(soak.minutes) < 3 and soak.seconds and soak.seconds[0].at_s == began_s:
        return soak.seconds, "second"
    if soak.minutes and soak.minutes[0].at_s == began_s and len(soak.minutes) <= MOST_SPANS:
        return soak.minutes, "minute"
    return (
        (soak.hours, "hour") if soak.hours else (soak.minutes or soak.seconds, "minute" if soak.minutes else "second")
    )


def soak_figure(soak: SoakResult) -> Figure:
    """Time is in the unit that fits the whole."""
    spans, width = spans_of(soak)
    end_s = max((span.at_s + span.watched_s for span in spans), default=0.0)
    divisor, unit = (HOUR_S, "h") if end_s > 3 * HOUR_S else (MINUTE_S, "min") if end_s > 3 * MINUTE_S else (1.0, "s")
    target = soak.verdict.target_ratio
    floor = loss_floor((span.loss_ratio for span in spans), [target])
    traces: list[Trace] = []
    times = [short((span.at_s + span.watched_s / 2) / divisor) for span in spans]
    for number, wire in enumerate(soak.directions):
        ratios = [span.flows[wire].loss_ratio if wire in span.flows else 0.0 for span in spans]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": label(f"loss {wire}"),
                "legendgroup": label(str(wire)),
                "x": times,
                "y": [short(max(ratio, floor)) for ratio in ratios],
                "customdata": [loss_text(ratio) for ratio in ratios],
                "line": {"color": _colour(number), "dash": DASHES[number % len(DASHES)], "width": 1.6},
                "marker": {"size": 4},
                "hovertemplate": f"%{{fullData.name}} at %{{x:.5g}} {unit}: %{{customdata}}<extra></extra>",
            }
        )
    traces += _events(soak, divisor, unit)
    traces += _gaps(soak, divisor, floor)
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "name": f"target {target:g}",
            "x": [0, short(end_s / divisor)],
            "y": [target, target],
            "line": {"color": ALARM, "dash": "dash", "width": 1.2},
            "hoverinfo": "skip",
        }
    )
    latency = [
        trace for number, wire in enumerate(soak.directions) for trace in _latency(spans, wire, number, divisor, unit)
    ]
    traces += latency
    accounts = [Account(soak.name, tuple(_told(span, divisor) for span in spans))]
    panels, first = panels_of(accounts), 3 if latency else 2
    style = {soak.name: {"type": "scatter", "line": {"color": _colour(0), "width": 1.6}}}
    traces += panel_traces(panels, accounts, style, first, 1.0, f"at %{{x:.5g}} {unit}")
    layout = stacked(
        [LOSS_PX, *([LATENCY_PX] if latency else []), *(PANEL_PX for _ in panels)],
        [
            f"<b>loss</b> of each {width}",
            *(["<b>latency</b> (µs): average, highest 99 % dashed"] if latency else []),
            *(panel.title for panel in panels),
        ],
        f"time ({unit})",
        legend(traces),
    )
    layout["yaxis"] |= loss_axis(floor)
    if latency:
        seen = [y for trace in latency for y in trace["y"] if y > 0]
        layout["yaxis2"] |= log_axis(min(seen), max(seen)) if seen else {}
    for number, panel in enumerate(panels, start=first):
        layout[f"yaxis{number}"] |= axis(panel, accounts)
    return {"data": traces, "layout": layout}


def _told(span: Span, divisor: float) -> Told:
    dut = span.dut
    known = {"cycles_per_packet": dut.cycles_per_packet, "watts": dut.watts}
    groups = {"cpu_percent": dut.cpu_percent, "drops": dut.drops}
    return Told(False, (span.at_s + span.watched_s / 2) / divisor, {"interval": span.watched_s, **known, **groups})


def _events(soak: SoakResult, divisor: float, unit: str) -> list[Trace]:
    """A mark an event above all, by whose doing it was."""
    traces: list[Trace] = []
    for whose, symbol in EVENT_SYMBOLS.items():
        events = [event for event in soak.events if event.whose == whose]
        if not events:
            continue
        hover = [
            label(f"{event.channel}: {event.lost:,} lost in {event.seconds:g} s, outage {event.outage_s * 1e3:.3g} ms")
            + (f"<br>{label(event.why)}" if event.why else "")
            for event in events
        ]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"loss event ({WHOSE[whose]})",
                "x": [short(event.at_s / divisor) for event in events],
                "y": [1.0] * len(events),
                "customdata": hover,
                "marker": {"size": 10, "symbol": symbol, "color": ALARM, "line": {"width": 1.6, "color": ALARM}},
                "cliponaxis": False,
                "hovertemplate": f"at %{{x:.5g}} {unit}, %{{customdata}}<extra></extra>",
            }
        )
    return traces


def _gaps(soak: SoakResult, divisor: float, floor: float) -> list[Trace]:
    """Times that nobody watched, shaded; one trace, broken between them."""
    if not soak.gaps:
        return []
    x: list[float | None] = []
    y: list[float | None] = []
    for gap in soak.gaps:
        low, high = short(gap.at_s / divisor), short((gap.at_s + gap.seconds) / divisor)
        x += [low, low, high, high, low, None]
        y += [floor, 1.0, 1.0, floor, floor, None]
    line = {"color": REFERENCE, "width": 1}
    shaded = {"mode": "lines", "fill": "toself", "fillcolor": f"{REFERENCE}44", "line": line, "hoverinfo": "name"}
    return [{"type": "scatter", "name": "nobody watched", "x": x, "y": y} | shaded]


def _latency(spans: Sequence[Span], wire: Channel, number: int, divisor: float, unit: str) -> list[Trace]:
    told = [
        (span, found)
        for span in spans
        if (flow := span.flows.get(wire)) is not None and (found := flow.latency) is not None and found.packets
    ]
    if not told:
        return []
    times = [short((span.at_s + span.watched_s / 2) / divisor) for span, _ in told]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": label(f"latency {wire} {name}"),
            "legendgroup": label(str(wire)),
            "x": times,
            "y": [short(value) for value in values],
            "yaxis": "y2",
            "line": {"color": _colour(number), "dash": dash, "width": 1.6},
            "hovertemplate": f"%{{fullData.name}} at %{{x:.5g}} {unit}: %{{y:.4g}} µs<extra></extra>",
        }
        for name, dash, values in (
            ("average", "solid", [found.average_us for _, found in told]),
            ("99 %", "dash", [found.p99_us for _, found in told]),
        )
    ]


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]
