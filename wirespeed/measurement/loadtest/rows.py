"""The long table: one row for each test and channel, as cells for people and as plain values for programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import ResultLoad, group_by_load
from wirespeed.measurement.loadtest.analysis import Analysis, MeasuredCurve
from wirespeed.measurement.loadtest.remarks import notes, status, thresholds_text
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.figures import NOTHING, Scaler, rounded, share_text, three_digits
from wirespeed.results.verdict import LIMIT_WORDS, Figure, LimitedBy, Verdict
from wirespeed.tables import Grid, grid

SHARE = "% of line"


@dataclass(frozen=True)
class LoadTestRow:
    """One direction of one test, or the sum of several.

    `forwarded` is the highest load that lost at most `threshold`, `full_load` the rate forwarded while the full load
    was held; each `text` is as the verdict writes it. `forwarded_line_percent` is by the length of the frames sent,
    `forwarded_returned_percent` by that of the frames received. Loss is persistent from `loss_onset_pps` on;
    `loss_onset_low_pps` is the highest load below it that passed. `saturation_pps` is the saturation point, between
    `saturation_low_pps` and `saturation_high_pps`. Percentages of a sum are of all its `lines` together."""

    test: str
    load: str
    channel: str
    forwarded_text: str
    forwarded_pps: float | None
    forwarded_l2_bps: float | None
    forwarded_l1_bps: float | None
    forwarded_line_percent: float | None
    forwarded_returned_percent: float | None
    forwarded_loss_ratio: float | None
    full_load_text: str
    full_load_pps: float | None
    full_load_l1_bps: float | None
    full_load_line_percent: float | None
    full_load_loss_ratio: float | None
    loss_onset_low_pps: float | None
    loss_onset_pps: float | None
    loss_onset_line_percent: float | None
    saturation_pps: float | None
    saturation_low_pps: float | None
    saturation_high_pps: float | None
    saturation_line_percent: float | None
    loss_ratio: float
    line_pps: float | None
    lines: int
    threshold: float
    outcome: str
    limited_by: LimitedBy
    mark: str
    tester_limited: bool
    disturbed_samples: int
    sentence: str
    next: str
    notes: str


@dataclass(frozen=True)
class PrintedRow:
    """A row with the figures that its cells print; `title` is what people call its load."""

    row: LoadTestRow
    forwarded: Figure
    full_load: Figure
    title: str


@dataclass(frozen=True)
class LoadTestColumn:
    """The text of a row's cell, and the value by which the rows are sorted."""

    text: Callable[[PrintedRow], str]
    sort_key: Callable[[LoadTestRow], str | float | None]


def lines_of(results: Sequence[Result], verdicts: Mapping[str, Verdict]) -> list[PrintedRow]:
    """All rows in the order of the results, the channels of a test and then their sum."""
    loads = {one.name: group.load for group in group_by_load(results) for one in group.results}
    return [
        line_of(loads[one.name], one.analysis, curve, verdicts[one.name])
        for one in results
        for curve in one.analysis.curves
    ]


def columns_of(results: Sequence[Result], scaler: Scaler) -> dict[str, LoadTestColumn]:
    """The columns by their headings."""
    return {
        "Test": LoadTestColumn(lambda line: line.row.test, lambda row: row.test),
        "Load": LoadTestColumn(lambda line: line.title, lambda row: row.load),
        "Direction": LoadTestColumn(lambda line: line.row.channel, lambda row: row.channel),
        f"Forwarded, loss ≤ {thresholds_text(results)} ({scaler.unit})": LoadTestColumn(
            lambda line: line.forwarded.scaled(scaler), lambda row: row.forwarded_pps
        ),
        "L2 (Gbps)": LoadTestColumn(lambda line: _gigabits(line.forwarded.l2_bps), lambda row: row.forwarded_l2_bps),
        "L1 (Gbps)": LoadTestColumn(lambda line: _gigabits(line.forwarded.l1_bps), lambda row: row.forwarded_l1_bps),
        SHARE: LoadTestColumn(lambda line: line.forwarded.share_text, lambda row: row.forwarded_line_percent),
        f"At full load ({scaler.unit})": LoadTestColumn(
            lambda line: line.full_load.scaled(scaler), lambda row: row.full_load_pps
        ),
        "Loss": LoadTestColumn(lambda line: line.full_load.loss_text, lambda row: row.full_load_loss_ratio),
        f"Loss onset ({scaler.unit})": LoadTestColumn(
            lambda line: _onset_text(line.row, scaler), lambda row: row.loss_onset_pps
        ),
        f"Saturation point ({scaler.unit})": LoadTestColumn(
            lambda line: _knee_text(line.row, scaler), lambda row: row.saturation_pps
        ),
        "at % of line": LoadTestColumn(
            lambda line: share_text(line.row.saturation_line_percent, line.row.lines),
            lambda row: row.saturation_line_percent,
        ),
        "Limited by": LoadTestColumn(lambda line: LIMIT_WORDS[line.row.limited_by], lambda row: row.limited_by),
        "Notes": LoadTestColumn(lambda line: line.row.notes, lambda row: row.notes),
    }


def table_of(results: Sequence[Result], verdicts: Mapping[str, Verdict], scaler: Scaler) -> Grid:
    """The rows for people. A value that was never reached is a dash, and the share of a sum names its number of
    lines."""
    columns = {heading: column.text for heading, column in columns_of(results, scaler).items()}
    return grid("Load tests", columns, lines_of(results, verdicts), texts=3, remarks=2)


def line_of(load: ResultLoad, test: Analysis, curve: MeasuredCurve, verdict: Verdict) -> PrintedRow:
    """One curve as plain values, with its part of the test's verdict."""
    outcome = curve.outcome
    lossy, knee = outcome.loss_onset, outcome.saturation
    forwarded = verdict.figure.of(curve.channel)
    full = (verdict.full_load or verdict.figure).of(curve.channel)
    row = LoadTestRow(
        test=test.result.name,
        load=load.name,
        channel=curve.channel,
        forwarded_text=forwarded.text,
        forwarded_pps=rounded(forwarded.rate_pps),
        forwarded_l2_bps=rounded(forwarded.l2_bps),
        forwarded_l1_bps=rounded(forwarded.l1_bps),
        forwarded_line_percent=rounded(forwarded.line_percent),
        forwarded_returned_percent=rounded(_of_lines(curve.returned_percent(curve.forwarded), curve)),
        forwarded_loss_ratio=None if forwarded.loss_ratio is None else round(forwarded.loss_ratio, 9),
        full_load_text=full.text,
        full_load_pps=rounded(full.rate_pps),
        full_load_l1_bps=rounded(full.l1_bps),
        full_load_line_percent=rounded(full.line_percent),
        full_load_loss_ratio=None if full.loss_ratio is None else round(full.loss_ratio, 9),
        loss_onset_low_pps=rounded(curve.passed_pps),
        loss_onset_pps=rounded(lossy.offered_pps if lossy else None),
        loss_onset_line_percent=rounded(_of_lines(lossy.offered_percent if lossy else None, curve)),
        saturation_pps=rounded(knee.offered_pps if knee else None),
        saturation_low_pps=rounded(knee.low_pps if knee else None),
        saturation_high_pps=rounded(knee.high_pps if knee else None),
        saturation_line_percent=rounded(_of_lines(knee.offered_percent if knee else None, curve)),
        loss_ratio=round(outcome.balance.loss_ratio, 9),
        line_pps=rounded(curve.line_pps),
        lines=curve.lines,
        threshold=test.threshold,
        outcome=status(test),
        limited_by=verdict.limited_by,
        mark=forwarded.mark,
        tester_limited=curve.tester_limited,
        disturbed_samples=outcome.disturbed_samples,
        sentence=verdict.sentence,
        next=verdict.next_step,
        notes=", ".join(notes(test, curve)),
    )
    return PrintedRow(row, forwarded, full, load.title)


def _of_lines(percent: float | None, curve: MeasuredCurve) -> float | None:
    return None if percent is None else percent / curve.lines


def _gigabits(bps: float | None) -> str:
    return NOTHING if bps is None else three_digits(bps / 1e9)


def _onset_text(row: LoadTestRow, scaler: Scaler) -> str:
    """`4.46–5.21`: between the last sample that passed and the first of the loss; `0.744` where none passed."""
    onset = scaler.text(row.loss_onset_pps)
    return onset if row.loss_onset_low_pps is None else f"{scaler.text(row.loss_onset_low_pps)}–{onset}"


def _knee_text(row: LoadTestRow, scaler: Scaler) -> str:
    """`4.200 (4.150–4.260)`."""
    if row.saturation_pps is None:
        return NOTHING
    low, high = scaler.text(row.saturation_low_pps), scaler.text(row.saturation_high_pps)
    return f"{scaler.text(row.saturation_pps)} ({low}–{high})"
