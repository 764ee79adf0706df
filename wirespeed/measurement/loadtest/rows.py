"""The long table: one row for each test and channel, as cells for people and as plain values for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Grid
from wirespeed.measurement.load import Load, group_by_load
from wirespeed.measurement.loadtest.analysis import Analysis, Curve
from wirespeed.measurement.loadtest.remarks import notes, status, thresholds_text
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.figures import NOTHING, Scaler, rounded, share_text
from wirespeed.results.verdict import Figure, Verdict

FIRST_FIGURE_COLUMN, LAST_FIGURE_COLUMN, PERCENT_COLUMN = 3, 11, 6


@dataclass(frozen=True)
class Row:
    """One direction of one test, or the sum of several.

    `held` is the highest load that lost at most `threshold`, `full_load` the rate forwarded while the full load was
    held; each `text` is as the verdict writes it. `held_line_percent` is by the length of the frames sent,
    `held_returned_percent` by that of the frames received. Loss is persistent from `lossy_from_pps` on. `saturated_pps`
    is the saturation point, between `saturated_low_pps` and `saturated_high_pps`. Percentages of a sum are of all its
    `lines` together.
    """

    test: str
    load: str
    channel: str
    held_text: str
    held_pps: float | None
    held_l2_bps: float | None
    held_l1_bps: float | None
    held_line_percent: float | None
    held_returned_percent: float | None
    held_loss_ratio: float | None
    full_load_text: str
    full_load_pps: float | None
    full_load_l1_bps: float | None
    full_load_line_percent: float | None
    full_load_loss_ratio: float | None
    lossy_from_pps: float | None
    lossy_from_line_percent: float | None
    saturated_pps: float | None
    saturated_low_pps: float | None
    saturated_high_pps: float | None
    saturated_line_percent: float | None
    loss_ratio: float
    line_pps: float | None
    lines: int
    threshold: float
    outcome: str
    limited_by: str
    mark: str
    tester_limited: bool
    spoilt_samples: int
    sentence: str
    next: str
    notes: str


@dataclass(frozen=True)
class Line:
    """A row with the figures that its cells print; `title` is what people call its load."""

    row: Row
    held: Figure
    full_load: Figure
    title: str


def lines_of(results: Sequence[Result], verdicts: Mapping[str, Verdict]) -> list[Line]:
    """All rows in the order of the results, the channels of a test and then their sum."""
    loads = {one.name: group.load for group in group_by_load(results) for one in group.results}
    return [
        line_of(loads[one.name], one.analysis, curve, verdicts[one.name])
        for one in results
        for curve in one.analysis.curves
    ]


def headings(results: Sequence[Result], scaler: Scaler) -> tuple[str, ...]:
    """Column headings that belong to `cells`."""
    return (
        "Test",
        "Load",
        "Channel",
        f"Forwarded, loss ≤ {thresholds_text(results)} ({scaler.unit})",
        "L2",
        "L1",
        "% of line",
        f"At full load ({scaler.unit})",
        "Loss",
        f"Loss onset ({scaler.unit})",
        f"Saturation point ({scaler.unit})",
        "at % of line",
        "Limited by",
        "Notes",
    )


def cells(line: Line, scaler: Scaler) -> tuple[str, ...]:
    """The row as text; what was never reached is a dash, and a sum's share says of how many lines."""
    row, held, full = line.row, line.held, line.full_load
    return (
        row.test,
        line.title,
        row.channel,
        held.scaled(scaler),
        held.l2_text,
        held.l1_text,
        held.share_text,
        full.scaled(scaler),
        full.loss_text,
        scaler.text(row.lossy_from_pps),
        _knee_text(row, scaler),
        share_text(row.saturated_line_percent, row.lines),
        row.limited_by,
        row.notes,
    )


def sort_keys(row: Row) -> tuple[str | float | None, ...]:
    """What each cell is sorted by."""
    return (
        *(row.test, row.load, row.channel),
        *(row.held_pps, row.held_l2_bps, row.held_l1_bps, row.held_line_percent),
        *(row.full_load_pps, row.full_load_loss_ratio),
        *(row.lossy_from_pps, row.saturated_pps, row.saturated_line_percent),
        *(row.limited_by, row.notes),
    )


def table_of(results: Sequence[Result], verdicts: Mapping[str, Verdict], scaler: Scaler) -> Grid:
    """The rows for people."""
    lines = [cells(line, scaler) for line in lines_of(results, verdicts)]
    return Grid("Load tests", headings(results, scaler), tuple(lines), texts=FIRST_FIGURE_COLUMN, remarks=2)


def line_of(load: Load, test: Analysis, curve: Curve, verdict: Verdict) -> Line:
    """One curve as plain values, with its part of the test's verdict."""
    found = curve.outcome
    lossy, knee = found.lossy_from, found.saturated
    held = verdict.figure.of(curve.channel)
    full = (verdict.full_load or verdict.figure).of(curve.channel)
    row = Row(
        test=test.result.name,
        load=load.name,
        channel=curve.channel,
        held_text=held.text,
        held_pps=rounded(held.rate_pps),
        held_l2_bps=rounded(held.l2_bps),
        held_l1_bps=rounded(held.l1_bps),
        held_line_percent=rounded(held.line_percent),
        held_returned_percent=rounded(_of_lines(curve.returned_percent(curve.held), curve)),
        held_loss_ratio=None if held.loss_ratio is None else round(held.loss_ratio, 9),
        full_load_text=full.text,
        full_load_pps=rounded(full.rate_pps),
        full_load_l1_bps=rounded(full.l1_bps),
        full_load_line_percent=rounded(full.line_percent),
        full_load_loss_ratio=None if full.loss_ratio is None else round(full.loss_ratio, 9),
        lossy_from_pps=rounded(lossy.offered_pps if lossy else None),
        lossy_from_line_percent=rounded(_of_lines(lossy.offered_percent if lossy else None, curve)),
        saturated_pps=rounded(knee.offered_pps if knee else None),
        saturated_low_pps=rounded(knee.low_pps if knee else None),
        saturated_high_pps=rounded(knee.high_pps if knee else None),
        saturated_line_percent=rounded(_of_lines(knee.offered_percent if knee else None, curve)),
        loss_ratio=round(found.balance.loss_ratio, 9),
        line_pps=rounded(curve.line_pps),
        lines=curve.lines,
        threshold=test.threshold,
        outcome=status(test),
        limited_by=verdict.limited_by,
        mark=held.mark,
        tester_limited=curve.tester_limited,
        spoilt_samples=found.spoilt_samples,
        sentence=verdict.sentence,
        next=verdict.next_step,
        notes=", ".join(notes(test, curve)),
    )
    return Line(row, held, full, load.title)


def _of_lines(percent: float | None, curve: Curve) -> float | None:
    return None if percent is None else percent / curve.lines


def _knee_text(row: Row, scaler: Scaler) -> str:
    """`4.200 (4.150–4.260)`."""
    if row.saturated_pps is None:
        return NOTHING
    low, high = scaler.text(row.saturated_low_pps), scaler.text(row.saturated_high_pps)
    return f"{scaler.text(row.saturated_pps)} ({low}–{high})"
