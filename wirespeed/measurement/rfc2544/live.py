"""Lines of the tests of RFC 2544, live and in the summary."""

from __future__ import annotations

from wirespeed.measurement.rfc.live import RfcLines
from wirespeed.measurement.rfc.loss import lossless_text
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    RecoveryRow,
    ResetRow,
    Row,
    SuiteTrial,
    Test,
    ThroughputRow,
)
from wirespeed.measurement.rfc2544.verdict import throughput_figure
from wirespeed.results.figures import NOTHING, exact_text, loss_text, losses_text, percent_text, rate_text


def trial_text(trial: SuiteTrial) -> str:
    return (
        f"{exact_text(trial.load_pps)} for {trial.intended_s:.3g} s, "
        f"received {rate_text(trial.judged.received_pps / len(trial.trial.channels))}, "
        f"{losses_text(trial.judged.lost_ratio, trial.judged.not_sent_ratio)}"
    )


def row_text(row: Row) -> str:
    match row:
        case ThroughputRow():
            figure = throughput_figure(row)
            return f"{figure.text}, {figure.share_text}" if figure.is_measured else figure.text
        case LatencyRow():
            spread = row.spread_us
            mean = NOTHING if spread is None else f"{spread.mean:.1f} µs, mean of {spread.count}"
            return f"{row.direction} {mean}, at {rate_text(row.load_pps)}"
        case FrameLossRow():
            first = row.points[0].loss_percent / 100 if row.points else 0.0
            offered = row.points[0].offered_percent if row.points else 0.0
            text = f"loss {loss_text(first)} with {percent_text(offered)} % of line offered"
            return text + lossless_text(row.points)
        case BackToBackRow():
            return "not measured" if row.skipped else _burst(row)
        case RecoveryRow():
            times = row.spread_s
            text = NOTHING if times is None else f"{times.mean * 1e3:.1f} ms (± {row.resolution_s * 1e3:.1f} ms)"
            return f"{text} after {rate_text(row.overload_pps)}"
        case ResetRow():
            times = row.spread_s
            return NOTHING if times is None else f"{times.mean:.3f} s at {rate_text(row.load_pps)} ({row.kind})"


def _burst(row: BackToBackRow) -> str:
    spread, corrected_s = row.spread, row.corrected_s
    if spread is None:
        return NOTHING
    buffer = "" if corrected_s is None else f", buffer {corrected_s * 1e3:.3f} ms"
    return f"{spread.mean:,.0f} frames, mean of {spread.count}{buffer}"


LINES = RfcLines[Test, SuiteTrial, Row](trial_text, row_text)
