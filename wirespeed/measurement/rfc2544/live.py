"""Output of the tests: live lines, and the summary."""

from __future__ import annotations

from rich.console import Console

from wirespeed.measurement.lines import last_lines, lines_watcher
from wirespeed.measurement.rfc2544.bench import Rfc2544Progress
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Row,
    SuiteTrial,
    Test,
    ThroughputRow,
)
from wirespeed.measurement.rfc2544.verdict import throughput_figure
from wirespeed.results.figures import NOTHING, exact_text, loss_text, losses_text, percent_text, rate_text
from wirespeed.results.verdict import Verdict
from wirespeed.watching import Watcher


def watcher(console: Console, title: str, quiet: bool) -> Watcher[Rfc2544Progress]:
    return lines_watcher(
        console, title, quiet, line_of, lambda now: f"{now.doing}; {now.count} trials, {now.spent_s:.0f} s"
    )


def line_of(progress: Rfc2544Progress) -> str | None:
    """A line for the trial or row that is new; None if there is none."""
    if progress.trial is not None:
        return trial_line(progress.trial)
    return None if progress.row is None else row_line(progress.test, progress.row)


def trial_line(one: SuiteTrial) -> str:
    """`throughput 64, trial 7: 7.770 Mpps for 2 s, received …, loss …, not sent …`."""
    label = f" {one.label}" if one.label else ""
    words = (
        f"{one.test} {one.frame}, trial {one.number}{label}: {exact_text(one.load_pps)} for {one.intended_s:.3g} s, "
        f"received {rate_text(one.judged.received_pps / len(one.trial.channels))}, "
        f"{losses_text(one.judged.lost_ratio, one.judged.not_sent_ratio)}"
    )
    remark = f"set aside: {one.excluded}" if one.excluded else one.remark
    return "; ".join(filter(None, (words, remark)))


def row_line(test: Test, row: Row) -> str:
    """`throughput 64: 7.77 Mpps to 7.81 Mpps, 52.2 % of line`, and why it is irregular."""
    match row:
        case ThroughputRow():
            figure = throughput_figure(row)
            found = f"{figure.text}, {figure.share_text}" if figure.is_measured else figure.text
        case LatencyRow():
            spread = row.spread_us
            mean = NOTHING if spread is None else f"{spread.mean:.1f} µs, mean of {spread.count}"
            found = f"{row.direction} {mean}, at {rate_text(row.load_pps)}"
        case FrameLossRow():
            whole = next((point.intended_percent for point in row.points if not point.loss_percent), None)
            first = row.points[0].loss_percent / 100 if row.points else 0.0
            offered = row.points[0].offered_percent if row.points else 0.0
            found = f"loss {loss_text(first)} with {percent_text(offered)} % of line offered"
            found += "" if whole is None else f", none from {whole:g} % down"
        case BackToBackRow():
            found = "not measured" if row.skipped else _burst(row)
        case RecoveryRow():
            times = row.spread_s
            found = NOTHING if times is None else f"{times.mean * 1e3:.1f} ms (± {row.resolution_s * 1e3:.1f} ms)"
            found += f" after {rate_text(row.overload_pps)}"
        case ResetRow():
            times = row.spread_s
            found = NOTHING if times is None else f"{times.mean:.3f} s at {rate_text(row.load_pps)} ({row.kind})"
    why = getattr(row, "skipped", "") or row.irregular
    return f"{test} {row.frame}: {found}" + (f"; {why}" if why else "")


def _burst(row: BackToBackRow) -> str:
    spread, corrected_s = row.spread, row.corrected_s
    if spread is None:
        return NOTHING
    buffer = "" if corrected_s is None else f", buffer {corrected_s * 1e3:.3f} ms"
    return f"{spread.mean:,.0f} frames, mean of {spread.count}{buffer}"


def summary(result: Rfc2544Result, verdict: Verdict, where: str | None) -> list[str]:
    """The last lines: the verdict, and each number by test."""
    details = [row_line(test, row) for test in result.method.tests for row in result.rows(test)]
    measured = [test for test in result.method.tests if result.rows(test)]
    details += [f"{test}: {result.method.conformance(test, all_of_them=False)}" for test in measured]
    if common := result.method.common_exceptions:
        details.append(f"in all tests not as the RFC has it: {'; '.join(common)}")
    return last_lines(result, verdict, where, f": {len(result.trials)} trials in {result.spent_s:.0f} s", details)
