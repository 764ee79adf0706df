"""The chart of a soak: loss over time with its events and gaps marked, how latency drifted, what the device told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wirespeed.charts.chart import Band, Chart, Curve, Panel, Rule, direction_dash, short, shortened
from wirespeed.charts.colours import ALARM, REFERENCE, colour
from wirespeed.charts.dut_panels import Account, DutSample, panels_of
from wirespeed.charts.sampled import blank, device_panels, positive
from wirespeed.charts.scales import loss_floor, loss_scale
from wirespeed.charts.shapes import Symbol
from wirespeed.measurement.load import subject_of
from wirespeed.measurement.soak.result import SoakResult, Span
from wirespeed.measurement.soak.words import CAUSES
from wirespeed.results.channel import Channel
from wirespeed.results.figures import loss_text

LOSS_PX, LATENCY_PX = 240, 190
MINUTE_S, HOUR_S = 60.0, 3600.0
MOST_SPANS = 3000
EVENT_SYMBOLS: dict[str, Symbol] = {"dut": "diamond", "tester": "triangle", "host": "cross"}


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


def soak_chart(identity: str, soak: SoakResult, sentence: str) -> Chart:
    """Time is in the unit that fits the whole."""
    spans, width = spans_of(soak)
    end_s = max((span.at_s + span.watched_s for span in spans), default=0.0)
    divisor, unit = (HOUR_S, "h") if end_s > 3 * HOUR_S else (MINUTE_S, "min") if end_s > 3 * MINUTE_S else (1.0, "s")
    target = soak.verdict.target_ratio
    floor = loss_floor((span.loss_ratio for span in spans), [target])
    times = shortened((span.at_s + span.watched_s / 2) / divisor for span in spans)
    losses = []
    for number, wire in enumerate(soak.directions):
        ratios = [span.flows[wire].loss_ratio if wire in span.flows else 0.0 for span in spans]
        losses.append(
            Curve(
                name=f"loss {wire}",
                colour=colour(number),
                x=times,
                y=shortened(max(ratio, floor) for ratio in ratios),
                key=str(wire),
                dash=direction_dash(number, len(soak.directions)),
                width=1.6,
                told=tuple(loss_text(ratio) for ratio in ratios),
                of=soak.name,
            )
        )
    latency = [
        curve
        for number, wire in enumerate(soak.directions)
        for curve in _latency(soak.name, spans, wire, number, divisor)
    ]
    accounts = [Account(soak.name, tuple(_told(span, divisor) for span in spans))]
    styles = {soak.name: blank(soak.name, colour(0), of=soak.name)}
    highest = [Panel("latency (µs): average, highest 99 % dotted", "µs", LATENCY_PX, tuple(latency), positive(latency))]
    return Chart(
        identity=identity,
        sentence=sentence,
        x_title=f"time ({unit})",
        x_unit=unit,
        panels=(
            Panel(
                title=f"loss of each {width}",
                unit="",
                height_px=LOSS_PX,
                curves=(*losses, *_events(soak, divisor)),
                scale=loss_scale(floor),
                rules=(Rule(f"target {target:g}", target, alarm=True),) if target > 0 else (),
            ),
            *(highest if latency else []),
            *device_panels(panels_of(accounts), accounts, styles, 1.0),
        ),
        bands=tuple(
            Band(
                "not observed",
                short(gap.at_s / divisor),
                short((gap.at_s + gap.seconds) / divisor),
                REFERENCE,
                "gaps",
            )
            for gap in soak.gaps
        ),
        x_high=short(end_s / divisor) or None,
        title=f"Soak, {subject_of(soak)}",
    )


def _told(span: Span, divisor: float) -> DutSample:
    dut = span.dut
    known = {"cycles_per_packet": dut.cycles_per_packet, "watts": dut.watts}
    groups = {"cpu_percent": dut.cpu_percent, "drops": dut.drops}
    return DutSample(False, (span.at_s + span.watched_s / 2) / divisor, {"interval": span.watched_s, **known, **groups})


def _events(soak: SoakResult, divisor: float) -> Iterator[Curve]:
    """A mark an event above all, by its cause."""
    for cause, symbol in EVENT_SYMBOLS.items():
        events = sorted((event for event in soak.events if event.cause == cause), key=lambda event: event.at_s)
        if not events:
            continue
        yield Curve(
            name=f"loss event ({CAUSES[cause]})",
            colour=ALARM,
            x=shortened(event.at_s / divisor for event in events),
            y=(1.0,) * len(events),
            key=f"event {cause}",
            dots=True,
            symbol=symbol,
            told=tuple(
                f"{event.channel}: {event.lost:,} lost in {event.seconds:g} s, outage {event.outage_s * 1e3:.3g} ms"
                + (f", {event.why}" if event.why else "")
                for event in events
            ),
            of=soak.name,
        )


def _latency(name: str, spans: Sequence[Span], wire: Channel, number: int, divisor: float) -> Iterator[Curve]:
    timed = [
        (span, found)
        for span in spans
        if (flow := span.flows.get(wire)) is not None and (found := flow.latency) is not None and found.packets
    ]
    if not timed:
        return
    times = shortened((span.at_s + span.watched_s / 2) / divisor for span, _ in timed)
    style = blank(f"latency {wire} average", colour(number), str(wire), width=1.6, of=name)
    yield replace(style, x=times, y=shortened(found.average_us for _, found in timed))
    highest = shortened(found.p99_us for _, found in timed)
    yield replace(style, name=f"latency {wire} 99 %", dash="dot", x=times, y=highest)
