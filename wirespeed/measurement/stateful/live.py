"""Output of the tests: live lines, and the summary."""

from __future__ import annotations

from rich.console import Console

from wirespeed.measurement.lines import last_lines, lines_watcher
from wirespeed.measurement.stateful.bench import StatefulProgress
from wirespeed.measurement.stateful.result import (
    WITHOUT_RFC,
    CapacityRow,
    RateRow,
    Row,
    StatefulResult,
    StatefulTrial,
    StateLatencyRow,
    StateLossRow,
    StateThroughputRow,
    TearDownRow,
    Test,
    flows_text,
)
from wirespeed.measurement.stateful.text import capacity_text, named, remark_of
from wirespeed.measurement.stateful.verdict import throughput_figure
from wirespeed.measurement.verdicts import LIMITED_BY
from wirespeed.results.figures import NOTHING, losses_text, measured_text, percent_text, rate_text
from wirespeed.results.verdict import BOUNDS, Verdict
from wirespeed.watching import Watcher


def watcher(console: Console, title: str, quiet: bool) -> Watcher[StatefulProgress]:
    return lines_watcher(
        console, title, quiet, line_of, lambda now: f"{now.doing}; {now.count} trials, {now.spent_s:.0f} s"
    )


def line_of(progress: StatefulProgress) -> str | None:
    """A line for the trial or row that is new; None if there is none."""
    if progress.trial is not None:
        return trial_line(progress.trial)
    return None if progress.row is None else row_line(progress.test, progress.row)


def trial_line(one: StatefulTrial) -> str:
    """`rate 1,000,000 flows, trial 7: 210 kflows/s, established 1,000,000, validated 999,998; missing 2`."""
    off = "" if one.filtered else " without filter"
    label = f" {one.label}" if one.label else ""
    words = [f"{one.test} {flows_text(one.flows)}{off}, trial {one.number}{label}: "]
    unit = "flows/s" if one.test == "rate" or not one.exchanged else "fps"
    words.append(f"{measured_text(one.load_pps, unit)}, established {one.opened.established:,}")
    if one.validated is not None:
        words.append(f", validated {one.validated.established:,}")
    if one.exchanged or one.judged.not_sent_ratio > 0:
        words.append(f", {losses_text(one.judged.lost_ratio, one.judged.not_sent_ratio)}")
    faults = ", ".join(f"{name} {count:,}" for name, count in one.faults.items())
    remark = f"set aside: {one.excluded}" if one.excluded else one.remark
    return "; ".join(filter(None, ("".join(words), faults, remark)))


def row_line(test: Test, row: Row) -> str:
    """`rate of 1,000,000 flows: 210 kflows/s`, and why it is irregular or left out."""
    match row:
        case RateRow():
            found = NOTHING if row.median is None or row.left_out else rate_words(row)
        case StateThroughputRow():
            found = NOTHING if row.left_out else throughput_figure(row).text
        case StateLossRow():
            whole = next((point.intended_percent for point in row.points if not point.loss_percent), None)
            found = f"loss {percent_text(row.points[0].loss_percent)} % at the highest load" if row.points else NOTHING
            found += "" if whole is None else f", none from {whole:g} % of line down"
        case CapacityRow():
            found = capacity_text(row)
        case TearDownRow():
            found = NOTHING if row.median is None else measured_text(row.median, "entries/s")
        case StateLatencyRow():
            typical = NOTHING if row.typical_us is None else f"{row.typical_us:.1f} µs"
            found = f"{row.direction} {typical} at {rate_text(row.load_pps)}"
    why = remark_of(row)
    return f"{test} of {named(row)}: {found}" + (f"; {why}" if why else "")


def rate_words(row: RateRow) -> str:
    bound = BOUNDS.get(LIMITED_BY[row.limit], "")
    rate = measured_text(row.median or 0.0, "flows/s")
    return f"≥ {rate} ({bound})" if bound else rate


def summary(result: StatefulResult, verdict: Verdict, where: str | None) -> list[str]:
    """The last lines: the verdict, and each number by test."""
    details = [row_line(test, row) for test in result.method.tests for row in result.rows(test)]
    if result.method.transport == "tcp":
        details.append(WITHOUT_RFC)
    measured = [test for test in result.conformance if result.rows(test)]
    details += [f"{test}: {result.method.conformance(test, all_of_them=False)}" for test in measured]
    if common := result.method.common_exceptions:
        details.append(f"in all tests not as the RFC has it: {'; '.join(common)}")
    return last_lines(result, verdict, where, f": {len(result.trials)} trials in {result.spent_s:.0f} s", details)
