"""The report of RFC 2544. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirespeed.measurement.rfc.loss import LossPoint
from wirespeed.measurement.rfc.text import RfcTable, RfcText, at_least, lossy, whole
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
from wirespeed.measurement.rfc2544.verdict import row_limit
from wirespeed.pages.words import count
from wirespeed.results.figures import fixed_text, percent_text
from wirespeed.results.verdict import LIMITS, Named
from wirespeed.tables import Columns

LATENCY_DEFINITION = (
    "Latency runs from before a frame is passed to the sending port's driver until after the receiving driver "
    "delivered it. It includes the time on the link, the port type and the tester's loop (baseline), which RFC 1242 "
    "excludes for store-and-forward devices."
)


class Rfc2544Text(RfcText[Rfc2544Result]):
    rfc = "RFC 2544"
    of = " of RFC 2544"

    def setup(self, result: Rfc2544Result) -> Iterator[str]:
        method, ways = result.method, "bidirectional" if result.is_bidirectional else "one direction"
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

    def sentences(self, result: Rfc2544Result, test: Test) -> Iterator[str]:
        method = result.method
        match test:
            case "throughput" if (row := _single(result.throughput)) is not None:
                yield (
                    f"As a single number: {at_least(row)}{whole(row.throughput_pps)} frames/s of {row.frame} bytes, of "
                    f"a theoretical {whole(row.line_pps)}, {method.protocol}."
                )
            case "latency":
                yield LATENCY_DEFINITION
                yield f"A repeat: {2 * method.trial_s:g} s, {method.latency_pps:g} tagged frames per second."
            case "back-to-back":
                searches, again = count(method.burst_repeats, "binary search"), count(method.burst_verify, "more time")
                yield (
                    f"{searches} per size over bursts of up to {method.burst_most_s:g} s at line rate, to "
                    f"{method.resolution * 100:g} %; a burst that lost frames was tried {again} before it counted. "
                    "Corrected = mean / line rate x (1 - throughput / line rate)."
                )
            case "recovery":
                repeats = count(method.recovery_repeats, "repeat")
                yield (
                    f"Overload of {method.trial_s:g} s, then half of it; the mean of {repeats}, from the reduction "
                    "until no more frames were lost; the time to drain a long queue is part of it."
                )
            case "reset":
                repeats = count(method.reset_repeats, "repeat")
                yield f"Frames lost over their rate, at the throughput; the mean of {repeats}."


def _speed(speed_bps: float | None) -> str:
    return "without a line speed" if speed_bps is None else f"{speed_bps / 1e9:g} Gb/s"


def _single(rows: Sequence[ThroughputRow]) -> ThroughputRow | None:
    """Section 26.1: the value of the smallest size, for statements with a single number."""
    known = [row for row in rows if row.throughput_pps is not None]
    return min(known, key=lambda row: row.frame_bytes, default=None)


def _throughput(named: Named) -> Columns[ThroughputRow]:
    return {
        "frame size": lambda row: row.frame,
        "theoretical fps": lambda row: whole(row.line_pps),
        "throughput fps": lambda row: at_least(row) + whole(row.throughput_pps),
        "% of line": lambda row: percent_text(row.line_percent),
        "next to fail fps": lambda row: whole(row.upper_pps),
        "limit": lambda row: LIMITS[row_limit(row, named).by],
        "trials": lambda row: str(row.trials),
    }


_LATENCY: Columns[LatencyRow] = {
    "frame size": lambda row: row.frame,
    "direction": lambda row: row.direction,
    "load fps": lambda row: whole(row.load_pps),
    "repeats": lambda row: str(row.spread_us.count if row.spread_us else 0),
    "mean µs": lambda row: fixed_text(row.spread_us.mean if row.spread_us else None),
    "stdev µs": lambda row: fixed_text(row.spread_us.stdev if row.spread_us else None),
    "min µs": lambda row: fixed_text(row.least_us),
    "max µs": lambda row: fixed_text(row.most_us),
    "baseline µs": lambda row: fixed_text(row.baseline_us),
    "tagged (lost)": lambda row: f"{row.tagged} ({row.tagged_lost})",
}
_FRAME_LOSS: Columns[tuple[FrameLossRow, LossPoint]] = {
    "frame size": lambda line: line[0].frame,
    "input % of line": lambda line: f"{line[1].intended_percent:g}",
    "offered fps": lambda line: whole(line[1].offered_pps),
    "offered %": lambda line: percent_text(line[1].offered_percent),
    "loss %": lambda line: lossy(line[1].loss_percent),
    "remark": lambda line: line[1].irregular,
}
_BACK_TO_BACK: Columns[BackToBackRow] = {
    "frame size": lambda row: row.frame,
    "mean frames": lambda row: whole(row.spread.mean if row.spread else None),
    "min": lambda row: whole(row.spread.least if row.spread else None),
    "max": lambda row: whole(row.spread.most if row.spread else None),
    "stdev": lambda row: whole(row.spread.stdev if row.spread else None),
    "searches": lambda row: str(len(row.lengths)),
    "implied ms": lambda row: fixed_text(row.implied_s, 3, 1e3),
    "corrected ms": lambda row: fixed_text(row.corrected_s, 3, 1e3),
    "throughput fps": lambda row: whole(row.throughput_pps),
    "line fps": lambda row: whole(row.line_pps),
}
_RECOVERY: Columns[RecoveryRow] = {
    "frame size": lambda row: row.frame,
    "throughput fps": lambda row: whole(row.throughput_pps),
    "overload fps": lambda row: whole(row.overload_pps),
    "reduced fps": lambda row: whole(row.reduced_pps),
    "mean ms": lambda row: fixed_text(row.spread_s.mean if row.spread_s else None, 1, 1e3),
    "min ms": lambda row: fixed_text(row.spread_s.least if row.spread_s else None, 1, 1e3),
    "max ms": lambda row: fixed_text(row.spread_s.most if row.spread_s else None, 1, 1e3),
    "resolution ms": lambda row: fixed_text(row.resolution_s, 1, 1e3),
}
_RESET: Columns[ResetRow] = {
    "frame size": lambda row: row.frame,
    "reset": lambda row: row.kind,
    "load fps": lambda row: whole(row.load_pps),
    "mean s": lambda row: fixed_text(row.spread_s.mean if row.spread_s else None, 3),
    "min s": lambda row: fixed_text(row.spread_s.least if row.spread_s else None, 3),
    "max s": lambda row: fixed_text(row.spread_s.most if row.spread_s else None, 3),
    "mean frames lost": lambda row: whole(sum(row.lost) / len(row.lost) if row.lost else None),
}

TEXT = Rfc2544Text(
    {
        "throughput": RfcTable("Throughput", _throughput),
        "latency": RfcTable("Latency", lambda _: _LATENCY),
        "frame-loss": RfcTable(
            "Frame loss rate", lambda _: _FRAME_LOSS, lambda row: ((row, point) for point in row.points)
        ),
        "back-to-back": RfcTable("Back-to-back frames", lambda _: _BACK_TO_BACK),
        "recovery": RfcTable("System recovery", lambda _: _RECOVERY),
        "reset": RfcTable("Reset", lambda _: _RESET),
    }
)
