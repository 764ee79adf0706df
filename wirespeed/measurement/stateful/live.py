"""Lines of the tests of stateful devices, live and in the summary."""

from __future__ import annotations

from wirespeed.measurement.rfc.bench import said
from wirespeed.measurement.rfc.live import RfcLines
from wirespeed.measurement.rfc.loss import lossless_text
from wirespeed.measurement.stateful.result import (
    CapacityRow,
    RateRow,
    Row,
    StatefulTrial,
    StateLatencyRow,
    StateLossRow,
    StateThroughputRow,
    TearDownRow,
    Test,
)
from wirespeed.measurement.stateful.verdict import capacity_text, rate_words, throughput_figure
from wirespeed.results.figures import NOTHING, losses_text, measured_text, percent_text, rate_text


def trial_text(trial: StatefulTrial) -> str:
    """`210 kflows/s, established 1,000,000, validated 999,998; missing 2`."""
    unit = "flows/s" if trial.test == "rate" or not trial.exchanged else "fps"
    words = [measured_text(trial.load_pps, unit), f"established {trial.opened.established:,}"]
    if trial.validated is not None:
        words.append(f"validated {trial.validated.established:,}")
    if trial.exchanged or trial.judged.not_sent_ratio > 0:
        words.append(losses_text(trial.judged.lost_ratio, trial.judged.not_sent_ratio))
    return said(", ".join(words), ", ".join(f"{name} {count:,}" for name, count in trial.faults.items()))


def row_text(row: Row) -> str:
    match row:
        case RateRow():
            return NOTHING if row.median is None or row.left_out else rate_words(row)
        case StateThroughputRow():
            return NOTHING if row.left_out else throughput_figure(row).text
        case StateLossRow():
            found = f"loss {percent_text(row.points[0].loss_percent)} % at the highest load" if row.points else NOTHING
            return found + lossless_text(row.points)
        case CapacityRow():
            return capacity_text(row)
        case TearDownRow():
            return NOTHING if row.median is None else measured_text(row.median, "entries/s")
        case StateLatencyRow():
            typical = NOTHING if row.typical_us is None else f"{row.typical_us:.1f} µs"
            return f"{row.direction} {typical} at {rate_text(row.load_pps)}"


LINES = RfcLines[Test, StatefulTrial, Row](trial_text, row_text)
