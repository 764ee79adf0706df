"""The long table: one row for each test and channel, as cells for people and as plain values for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from wirespeed.report.comparison import Comparison
from wirespeed.report.loads import Load
from wirespeed.report.markdown import aligned
from wirespeed.report.remarks import notes, status, thresholds_text
from wirespeed.results.analysis import Analysis, Curve
from wirespeed.results.figures import NOTHING, Scaler, bits_text, percent_text, rounded

FIRST_FIGURE_COLUMN, LAST_FIGURE_COLUMN, PERCENT_COLUMN = 3, 10, 7


@dataclass(frozen=True)
class Row:
    """One channel of one test; field names are the columns of the CSV file, None is an empty cell.

    `held_pps` is the highest load whose sample lost at most `threshold`, an estimate. `max_line_percent` is by the
    frames that were sent, `max_returned_percent` by those that came back. Loss lasts from `lossy_from_pps` on;
    `saturated_pps` is where received stops following offered, between `saturated_low_pps` and `saturated_high_pps`.
    Percentages of a sum are of `lines` hundred.
    """

    test: str
    load: str
    channel: str
    held_pps: float | None
    max_pps: float | None
    max_l2_bps: float | None
    max_l1_bps: float | None
    max_line_percent: float | None
    max_returned_percent: float | None
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
    tester_limited: bool
    spoilt_samples: int
    notes: str


def rows(comparison: Comparison) -> list[Row]:
    """All rows: groups and tests in the order given, the channels of a test and then their sum."""
    return [
        row_of(group.load, test, curve) for group in comparison.groups for test in group.tests for curve in test.curves
    ]


def headings(comparison: Comparison, scaler: Scaler) -> tuple[str, ...]:
    """Column headings that belong to `cells`."""
    return (
        "Test",
        "Load",
        "Channel",
        f"Held, loss ≤ {thresholds_text(comparison.tests)} ({scaler.unit}, estimate)",
        f"Maximum ({scaler.unit})",
        "L2",
        "L1",
        "% of line",
        f"Lossy from ({scaler.unit})",
        f"Saturated at ({scaler.unit})",
        "at % of line",
        "Notes",
    )


def cells(row: Row, scaler: Scaler) -> tuple[str, ...]:
    """The row as text; what was never reached is a dash, and a sum's share says of how many."""
    return (
        row.test,
        row.load,
        row.channel,
        scaler.text(row.held_pps),
        scaler.text(row.max_pps),
        bits_text(row.max_l2_bps),
        bits_text(row.max_l1_bps),
        share_text(row.max_line_percent, row.lines),
        scaler.text(row.lossy_from_pps),
        _knee_text(row, scaler),
        share_text(row.saturated_line_percent, row.lines),
        row.notes,
    )


def sort_keys(row: Row) -> tuple[str | float | None, ...]:
    """What each cell is sorted by."""
    return (
        *(row.test, row.load, row.channel),
        *(row.held_pps, row.max_pps, row.max_l2_bps, row.max_l1_bps, row.max_line_percent),
        *(row.lossy_from_pps, row.saturated_pps, row.saturated_line_percent),
        row.notes,
    )


def share_text(percent: float | None, lines: int) -> str:
    """`33.67`; of several lines `160.48 of 200`."""
    text = percent_text(percent)
    return text if lines == 1 or percent is None else f"{text} of {100 * lines}"


def to_markdown(comparison: Comparison, scaler: Scaler) -> str:
    """A table that is aligned as plain text too; figures are flush right."""
    lines = [headings(comparison, scaler), *(cells(row, scaler) for row in rows(comparison))]
    return aligned(lines, range(FIRST_FIGURE_COLUMN, LAST_FIGURE_COLUMN + 1))


def to_csv(found: Sequence[Row]) -> str:
    """Plain values, rates in packets and bits a second, empty where unknown."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(Row.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in found)
    return text.getvalue()


def to_json(comparison: Comparison, title: str) -> str:
    """Plain values as in the CSV file, with the warnings."""
    document = {
        "title": title,
        "rows": [asdict(row) for row in rows(comparison)],
        "warnings": [remark.sentence for remark in comparison.remarks],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def row_of(load: Load, test: Analysis, curve: Curve) -> Row:
    """One curve as plain values."""
    found = curve.outcome
    lossy, knee = found.lossy_from, found.saturated
    return Row(
        test=test.result.name,
        load=load.name,
        channel=curve.channel,
        held_pps=rounded(curve.held_pps),
        max_pps=rounded(curve.max_pps),
        max_l2_bps=rounded(curve.max_l2_bps),
        max_l1_bps=rounded(curve.max_l1_bps),
        max_line_percent=rounded(curve.max_line_percent),
        max_returned_percent=rounded(curve.max_returned_percent),
        lossy_from_pps=rounded(lossy.offered_pps if lossy else None),
        lossy_from_line_percent=rounded(lossy.offered_percent if lossy else None),
        saturated_pps=rounded(knee.offered_pps if knee else None),
        saturated_low_pps=rounded(knee.low_pps if knee else None),
        saturated_high_pps=rounded(knee.high_pps if knee else None),
        saturated_line_percent=rounded(knee.offered_percent if knee else None),
        loss_ratio=round(found.balance.loss_ratio, 9),
        line_pps=rounded(curve.line_pps),
        lines=curve.lines,
        threshold=test.threshold,
        outcome=status(test),
        tester_limited=curve.tester_limited,
        spoilt_samples=found.spoilt_samples,
        notes=", ".join(notes(test, curve)),
    )


def _knee_text(row: Row, scaler: Scaler) -> str:
    """`4.200 (4.150–4.260)`."""
    if row.saturated_pps is None:
        return NOTHING
    low, high = scaler.text(row.saturated_low_pps), scaler.text(row.saturated_high_pps)
    return f"{scaler.text(row.saturated_pps)} ({low}–{high})"
