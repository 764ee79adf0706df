"""The report of RFC 2544. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wirespeed.measurement.rfc.text import Grid, RfcText, lossy, whole
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Test,
    ThroughputRow,
)
from wirespeed.measurement.verdicts import LIMITED_BY
from wirespeed.results.figures import NOTHING, percent_text
from wirespeed.results.verdict import LIMITS

LATENCY_DEFINITION = (
    "Latency is from before a frame is given to the sending port's driver to after the receiving port's driver gave it "
    "over: the frame's own time on the line, the medium and the tester's loop (floor) are in it, which RFC 1242's "
    "definition for store-and-forward devices leaves out."
)


class Rfc2544Text(RfcText[Rfc2544Result]):
    rfc = "RFC 2544"
    titles: ClassVar = {
        "throughput": "Throughput",
        "latency": "Latency",
        "frame-loss": "Frame loss rate",
        "back-to-back": "Back-to-back frames",
        "recovery": "System recovery",
        "reset": "Reset",
    }

    def setup(self, result: Rfc2544Result) -> Iterator[str]:
        method, ways = result.method, "both directions at once" if result.is_bidirectional else "one direction"
        media = (
            f"port {port.index} {port.driver or 'unknown'} {_speed(port.speed_bps)}" for port in result.ports.values()
        )
        yield f"Media: {', '.join(media)}"
        yield f"Protocol: {method.protocol}; {method.stream_format}"
        directions = ", ".join(map(str, result.directions))
        yield f"Load: {ways} ({directions}), equal; rates are frames per second of each, sizes are with FCS"
        waits = (
            f"{method.learning_s:g} s after learning, {method.residual_s:g} s residual, {method.restabilise_s:g} s rest"
        )
        yield f"Trials: {method.trial_s:g} s; waits: {waits}; search resolution {method.resolution * 100:g} %"

    def grid(self, result: Rfc2544Result, test: Test) -> Grid:
        match test:
            case "throughput":
                return _throughput(result.throughput)
            case "latency":
                return _latency(result.latency)
            case "frame-loss":
                return _frame_loss(result.frame_loss)
            case "back-to-back":
                return _back_to_back(result.back_to_back)
            case "recovery":
                return _recovery(result.recovery)
            case "reset":
                return _reset(result.reset)

    def sentences(self, result: Rfc2544Result, test: Test) -> Iterator[str]:
        method = result.method
        match test:
            case "throughput" if (row := _single(result.throughput)) is not None:
                yield (
                    f"As a single number: {_least(row)}{whole(row.throughput_pps)} frames/s of {row.frame} bytes, of a "
                    f"theoretical {whole(row.line_pps)}, {method.protocol}."
                )
            case "latency":
                yield LATENCY_DEFINITION
                yield f"A repeat: {2 * method.trial_s:g} s, {method.latency_pps:g} tagged frames per second."
            case "back-to-back":
                yield (
                    f"{method.burst_repeats} binary searches a size over bursts of up to {method.burst_most_s:g} s at "
                    f"line rate, to {method.resolution * 100:g} %; a burst that lost was repeated "
                    f"{method.burst_verify} time(s) before it counted. Corrected = mean / line rate x (1 - throughput "
                    "/ line rate)."
                )
            case "recovery":
                yield (
                    f"Overload of {method.trial_s:g} s, then half of it; the mean of {method.recovery_repeats} "
                    "repeats, from the cut until no frame more was lost, a queue that was still long included."
                )
            case "reset":
                yield f"Frames lost over their rate, at the throughput; the mean of {method.reset_repeats} repeats."


TEXT = Rfc2544Text()


def _speed(speed_bps: float | None) -> str:
    return "without a line speed" if speed_bps is None else f"{speed_bps / 1e9:g} Gb/s"


def _single(rows: Sequence[ThroughputRow]) -> ThroughputRow | None:
    """Section 26.1: the value of the smallest size, if one number is to stand for all."""
    known = [row for row in rows if row.throughput_pps is not None]
    return min(known, key=lambda row: row.frame_bytes, default=None)


def _least(row: ThroughputRow) -> str:
    """A lower bound, if tester or host ended the search."""
    return "≥ " if row.is_at_least else ""


def _throughput(rows: Sequence[ThroughputRow]) -> Grid:
    return (
        ("frame size", "theoretical fps", "throughput fps", "% of line", "next to fail fps", "limit", "trials"),
        [
            (
                row.frame,
                whole(row.line_pps),
                _least(row) + whole(row.throughput_pps),
                percent_text(row.line_percent),
                whole(row.upper_pps),
                LIMITS[LIMITED_BY[row.limit]],
                str(row.trials),
            )
            for row in rows
        ],
    )


def _latency(rows: Sequence[LatencyRow]) -> Grid:
    head = (
        "frame size",
        "direction",
        "load fps",
        "repeats",
        "mean us",
        "stdev us",
        "min us",
        "max us",
        "floor us",
        "tagged (lost)",
    )
    cells = []
    for row in rows:
        spread = row.spread_us
        mean, deviation, count = (None, None, 0) if spread is None else (spread.mean, spread.stdev, spread.count)
        times = [_decimal(value) for value in (mean, deviation, row.least_us, row.most_us, row.baseline_us)]
        cells.append(
            (row.frame, row.direction, whole(row.load_pps), str(count), *times, f"{row.tagged} ({row.tagged_lost})")
        )
    return head, cells


def _frame_loss(rows: Sequence[FrameLossRow]) -> Grid:
    return (
        ("frame size", "input % of line", "offered fps", "offered %", "loss %", "remark"),
        [
            (
                row.frame,
                f"{point.intended_percent:g}",
                whole(point.offered_pps),
                percent_text(point.offered_percent),
                lossy(point.loss_percent),
                point.irregular,
            )
            for row in rows
            for point in row.points
        ],
    )


def _back_to_back(rows: Sequence[BackToBackRow]) -> Grid:
    lengths = ("frame size", "mean frames", "min", "max", "stdev", "searches")
    head = (*lengths, "implied ms", "corrected ms", "throughput fps", "line fps")
    cells = []
    for row in rows:
        spread = row.spread
        four = (NOTHING,) * 4
        if spread is not None:
            four = (whole(spread.mean), whole(spread.least), whole(spread.most), whole(spread.stdev))
        times = [NOTHING if value is None else f"{value * 1e3:.3f}" for value in (row.implied_s, row.corrected_s)]
        rates = (whole(row.throughput_pps), whole(row.line_pps))
        cells.append((row.frame, *four, str(len(row.lengths)), *times, *rates))
    return head, cells


def _recovery(rows: Sequence[RecoveryRow]) -> Grid:
    head = (
        "frame size",
        "throughput fps",
        "overload fps",
        "reduced fps",
        "mean ms",
        "min ms",
        "max ms",
        "resolution ms",
    )
    cells = []
    for row in rows:
        spread = row.spread_s
        times = (None, None, None) if spread is None else (spread.mean, spread.least, spread.most)
        loads = (row.throughput_pps, row.overload_pps, row.reduced_pps)
        cells.append((row.frame, *map(whole, loads), *(_ms(value) for value in (*times, row.resolution_s))))
    return head, cells


def _reset(rows: Sequence[ResetRow]) -> Grid:
    lines = []
    for row in rows:
        spread = row.spread_s
        times = (None, None, None) if spread is None else (spread.mean, spread.least, spread.most)
        mean_lost = sum(row.lost) / len(row.lost) if row.lost else None
        cells = [NOTHING if value is None else f"{value:.3f}" for value in times]
        lines.append((row.frame, row.kind, whole(row.load_pps), *cells, whole(mean_lost)))
    return ("frame size", "reset", "load fps", "mean s", "min s", "max s", "mean frames lost"), lines


def _decimal(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.1f}"


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else f"{seconds * 1e3:.1f}"
