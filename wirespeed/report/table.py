"""The summary table: one row for each test and channel, as cells for people and as plain values for programs."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import asdict, dataclass

from wirespeed.errors import UsageError
from wirespeed.report.analysis import Analysis, Curve
from wirespeed.report.comparison import Comparison, Load, notes, status
from wirespeed.units import format_si

NOTHING = "–"
_SCALER = re.compile(r"(?P<divisor>\d{1,15}(?:\.\d+)?):(?P<prefix>[A-Za-zµ]{0,5})")
_MARKDOWN = re.compile(r"([\\|`*\[\]<])")


@dataclass(frozen=True)
class Scaler:
    """Unit of packet rates: with divisor 1000000 and prefix M they read as Mpps."""

    divisor: float
    prefix: str

    @property
    def unit(self) -> str:
        return f"{self.prefix}pps"

    def text(self, pps: float | None) -> str:
        if pps is None:
            return NOTHING
        value = pps / self.divisor
        if self.divisor == 1 or value == 0:
            return f"{value:.0f}"
        return f"{value:.3f}" if value >= 0.1 else f"{value:.3g}"


def parse_scaler(text: str) -> Scaler:
    """`1000000:M`, `1000:k`, `1:`; anything else is a UsageError."""
    match = _SCALER.fullmatch(text.strip())
    if match is None or float(match["divisor"]) <= 0:
        raise UsageError(f"scaler {text!r} cannot be read: give DIV:PREFIX such as 1000000:M, 1000:k or 1:")
    return Scaler(float(match["divisor"]), match["prefix"])


@dataclass(frozen=True)
class Row:
    """One channel of one test; field names are the columns of the CSV file, None is an empty cell."""

    test: str
    load: str
    channel: str
    ok_pps: float | None
    max_pps: float | None
    max_l2_bps: float | None
    max_l1_bps: float | None
    max_line_percent: float | None
    saturation_offered_pps: float | None
    saturation_line_percent: float | None
    line_pps: float | None
    lines: int
    outcome: str
    tester_limited: bool
    notes: str


def rows(comparison: Comparison) -> list[Row]:
    """All rows: groups and tests in the order given, the channels of a test and then their sum."""
    return [
        _row(group.load, test, curve) for group in comparison.groups for test in group.tests for curve in test.curves
    ]


def headings(comparison: Comparison, scaler: Scaler) -> tuple[str, ...]:
    """Column headings that belong to `cells`."""
    return (
        "Test",
        "Load",
        "Channel",
        f"Loss ≤ {comparison.threshold * 100:g} % ({scaler.unit})",
        f"Maximum ({scaler.unit})",
        "L2",
        "L1",
        "% of line",
        f"Saturated from ({scaler.unit})",
        "at % of line",
        "Notes",
    )


def cells(row: Row, scaler: Scaler) -> tuple[str, ...]:
    """The row as text; saturation that was never reached is a dash."""
    return (
        row.test,
        row.load,
        row.channel,
        scaler.text(row.ok_pps),
        scaler.text(row.max_pps),
        _bps(row.max_l2_bps),
        _bps(row.max_l1_bps),
        _percent(row.max_line_percent),
        scaler.text(row.saturation_offered_pps),
        _percent(row.saturation_line_percent),
        row.notes,
    )


def to_markdown(comparison: Comparison, scaler: Scaler) -> str:
    """A table that is aligned as plain text too; figures are flush right."""
    lines = [headings(comparison, scaler), *(cells(row, scaler) for row in rows(comparison))]
    grid = [[_MARKDOWN.sub(r"\\\1", " ".join(cell.split())) for cell in line] for line in lines]
    widths = [max(3, *map(len, column)) for column in zip(*grid, strict=True)]
    right = [3 <= index <= 9 for index in range(len(widths))]
    rule = ["-" * (width - 1) + (":" if flush else "-") for width, flush in zip(widths, right, strict=True)]
    padded = [
        [
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(line, widths, right, strict=True)
        ]
        for line in grid
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [padded[0], rule, *padded[1:]])


def to_csv(comparison: Comparison) -> str:
    """Plain values, rates in packets and bits a second, empty where unknown."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(Row.__dataclass_fields__), lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows(comparison))
    return text.getvalue()


def to_json(comparison: Comparison, title: str) -> str:
    """Plain values as in the CSV file, with the threshold that they were found with and the warnings."""
    document = {
        "title": title,
        "loss_threshold": comparison.threshold,
        "rows": [asdict(row) for row in rows(comparison)],
        "warnings": list(comparison.remarks),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _row(load: Load, test: Analysis, curve: Curve) -> Row:
    found = curve.saturation
    return Row(
        test=test.result.name,
        load=load.name,
        channel=curve.channel,
        ok_pps=_round(curve.ok_pps),
        max_pps=_round(curve.max_pps),
        max_l2_bps=_round(curve.max_l2_bps),
        max_l1_bps=_round(curve.max_l1_bps),
        max_line_percent=_round(curve.max_line_percent),
        saturation_offered_pps=_round(found.offered_pps if found else None),
        saturation_line_percent=_round(found.line_percent if found else None),
        line_pps=_round(curve.line_pps),
        lines=curve.lines,
        outcome=status(test),
        tester_limited=curve.tester_limited,
        notes=", ".join(notes(test, curve)),
    )


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, 3)


def _bps(value: float | None) -> str:
    return NOTHING if value is None else format_si(value, "bps")


def _percent(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"
