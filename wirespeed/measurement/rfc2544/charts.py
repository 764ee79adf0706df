"""RFC 2544's own graphs: throughput against the theoretical line and latency by frame size, loss rate over load; and
what the device told."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.charts.chart import DASHES, Chart, Curve, Panel, Scale, direction_dash, short, shortened
from wirespeed.charts.colours import COLOURS, REFERENCE, colour
from wirespeed.charts.dut_panels import account_of_trials, panels_of
from wirespeed.charts.sampled import blank, device_panels
from wirespeed.measurement.rfc2544.result import FrameLossRow, LatencyRow, Rfc2544Result, ThroughputRow
from wirespeed.measurement.rfc2544.verdict import throughput_figure
from wirespeed.results.figures import Scaler

HEIGHT_PX = 280
PERCENT = Scale(low=0.0, high=100.0)
BY_SIZE = "frame size (bytes, with FCS)"


def throughput_chart(identity: str, sentence: str, rows: Sequence[ThroughputRow], scaler: Scaler) -> Chart:
    """Section 26.1: frame rate by frame size, the theoretical rate of the media above it."""
    frames = [row.frame for row in rows]
    theoretical = [(place, row.line_pps) for place, row in enumerate(rows) if row.line_pps]
    measured = [(place, row.throughput_pps, row) for place, row in enumerate(rows) if row.throughput_pps is not None]
    curves = [
        Curve(
            name="theoretical",
            colour=REFERENCE,
            x=tuple(float(place) for place, _ in theoretical),
            y=shortened(pps / scaler.divisor for _, pps in theoretical),
            key="theoretical",
            dash="dot",
            width=1.6,
            symbol="bar",
        ),
        Curve(
            name="throughput",
            colour=COLOURS[0],
            x=tuple(float(place) for place, _, _ in measured),
            y=shortened(pps / scaler.divisor for _, pps, _ in measured),
            key="throughput",
            told=tuple(_throughput_text(row) for _, _, row in measured),
        ),
    ]
    # An irregular throughput is an open dot.
    odd = [(place, pps, row) for place, pps, row in measured if row.irregular]
    curves.append(
        Curve(
            name="irregular",
            colour=COLOURS[0],
            x=tuple(float(place) for place, _, _ in odd),
            y=shortened(pps / scaler.divisor for _, pps, _ in odd),
            key="throughput",
            dots=True,
            symbol="circle",
            is_open=True,
            told=tuple(_throughput_text(row) for _, _, row in odd),
        )
    )
    drawn = tuple(curve for curve in curves if curve.x)
    panel = Panel(f"throughput ({scaler.unit} each way)", scaler.unit, HEIGHT_PX, drawn)
    return Chart(identity, sentence, BY_SIZE, "", (panel,), categories=tuple(frames))


def latency_chart(identity: str, sentence: str, rows: Sequence[LatencyRow]) -> Chart:
    """Section 26.2: mean latency by frame size, with bars from lowest to highest; one line per direction."""
    frames = list(dict.fromkeys(row.frame for row in rows))
    curves = []
    directions = dict.fromkeys(row.direction for row in rows)
    for number, direction in enumerate(directions):
        some = [(row, spread) for row in rows if row.direction == direction and (spread := row.spread_us) is not None]
        if not some:
            continue
        places = tuple(float(frames.index(row.frame)) for row, _ in some)
        curves.append(
            Curve(
                name=direction,
                colour=colour(number),
                x=places,
                y=shortened(spread.mean for _, spread in some),
                key=direction,
                dash=direction_dash(number, len(directions)),
                told=tuple(f"mean{f', irregular: {row.irregular}' if row.irregular else ''}" for row, _ in some),
                low=shortened(min(spread.mean, row.least_us or spread.mean) for row, spread in some),
                high=shortened(max(spread.mean, row.most_us or spread.mean) for row, spread in some),
                bar="least to most",
            )
        )
        floors = [(place, row.baseline_us) for place, (row, _) in zip(places, some, strict=True)]
        known = [(place, floor) for place, floor in floors if floor is not None]
        if known:
            curves.append(
                Curve(
                    name=f"{direction} without the DUT",
                    colour=REFERENCE,
                    x=tuple(place for place, _ in known),
                    y=shortened(floor for _, floor in known),
                    key=f"floor {direction}",
                    dash="dot",
                    width=1.2,
                )
            )
    panel = Panel("latency (µs): mean, bars from least to most", "µs", HEIGHT_PX, tuple(curves))
    return Chart(identity, sentence, BY_SIZE, "", (panel,), categories=tuple(frames))


def loss_chart(identity: str, sentence: str, rows: Sequence[FrameLossRow]) -> Chart:
    """Section 26.3: percent lost over the input rate in percent of the theoretical one; both axes from 0 to 100."""
    curves = []
    for number, row in enumerate(rows):
        points = sorted(row.points, key=lambda point: point.offered_percent)
        # No frames offered, none lost: the left end that the RFC asks for.
        curves.append(
            Curve(
                name=row.frame,
                colour=colour(number),
                x=(0.0, *(short(point.offered_percent) for point in points)),
                y=(0.0, *(short(point.loss_percent) for point in points)),
                key=row.frame,
                dash=DASHES[number % len(DASHES)],
                told=("", *(f"irregular: {why}" if (why := point.irregular) else "" for point in points)),
            )
        )
    panel = Panel("frame loss rate (%)", "% lost", HEIGHT_PX, tuple(curves), PERCENT)
    return Chart(identity, sentence, "input rate (% of the theoretical rate)", "% of line", (panel,), x_high=100.0)


def device_chart(identity: str, sentence: str, suite: Rfc2544Result, scaler: Scaler) -> Chart | None:
    """Telemetry of the device during the trials, over their load; one colour per frame size. None without telemetry."""
    accounts = [
        account_of_trials(frame, [(trial.load_pps, trial.trial) for trial in suite.trials if trial.frame == frame])
        for frame in dict.fromkeys(trial.frame for trial in suite.trials)
    ]
    asked = panels_of(accounts)
    if not asked:
        return None
    styles = {
        account.name: blank(account.name, colour(number), account.name) for number, account in enumerate(accounts)
    }
    panels = device_panels(asked, accounts, styles, scaler.divisor)
    return Chart(identity, sentence, f"load of each direction ({scaler.unit})", scaler.unit, tuple(panels))


def _throughput_text(row: ThroughputRow) -> str:
    figure = throughput_figure(row)
    words = (figure.share_text if figure.line_percent is not None else "", figure.bound)
    return ", ".join(filter(None, (*words, f"irregular: {row.irregular}" if row.irregular else "")))
