"""A comparison as a table for terminals, as markdown, CSV and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from wirespeed.compare.comparison import Comparison, ComparisonRow
from wirespeed.compare.judgement import Judgement
from wirespeed.compare.plateaus import Plateau
from wirespeed.results.figures import MEGA, difference_text, rate_text
from wirespeed.results.verdict import Figure
from wirespeed.tables import Columns, Grid, csv_lines, grid

_ABSURD = 10.0
"""An interval that reaches ten times says nothing."""


def table(comparison: Comparison, within: float) -> Grid:
    columns: Columns[ComparisonRow] = {
        "test": lambda row: row.subject.title,
        f"A, {MEGA.unit}": lambda row: _rate(row.a_pps, row.a_bound),
        f"B, {MEGA.unit}": lambda row: _rate(row.b_pps, row.b_bound),
        "difference": lambda row: _difference(row.judgement),
        "verdict": lambda row: f"{verdict(row, within)}{steps_text(row)}",
    }
    return grid("comparison", columns, comparison.rows, texts=len(columns))


def verdict(row: ComparisonRow, within: float) -> str:
    judged = row.judgement
    if row.a_pps is None or row.b_pps is None:
        text = f"cannot tell: {'A' if row.a_pps is None else 'B'} has none"
    elif judged.why:
        text = judged.why if judged.a_count == judged.b_count == 1 else f"cannot tell: {judged.why}"
    elif judged.word == "same":
        text = f"same within {100 * within:.3g} %"
    elif judged.word == "cannot tell":
        more = judged.needed
        text = "cannot tell: " + (
            f"needs {more} more a side" if more is not None else "too noisy for any number of repeats"
        )
    else:
        text = judged.word
    return text + (f" ({row.irregular} irregular left out)" if row.irregular else "")


def steps_text(row: ComparisonRow) -> str:
    """`; the limit itself is 11.1 to 50.0 % lower`; empty where no estimates are compared."""
    if row.steps is None or row.judgement.difference is None:
        return ""
    low, high = (round(100 * ratio, 1) for ratio in row.steps)
    if low < 0 < high:
        return f"; the limit itself differs by {low:+.1f} to {high:+.1f} %"
    least, most = sorted((abs(low), abs(high)))
    span = f"{least:.1f} to {most:.1f} %" if least else f"up to {most:.1f} %"
    return f"; the limit itself is {span} {'lower' if low < 0 else 'higher'}"


def _rate(pps: float | None, bound: str) -> str:
    """A rate in the form of a result's verdict: `≥ 4.47 (tester-limited)`."""
    rate = "–" if pps is None else Figure("", "held", rate_pps=pps, bound=bound).scaled(MEGA)
    return f"{rate} ({bound})" if bound else rate


def _difference(judged: Judgement) -> str:
    if judged.difference is None:
        return "–"
    if judged.low is None or judged.high is None:
        return f"{difference_text(judged.difference)} (× {1 + judged.difference:.3g})"
    if judged.high > _ABSURD:
        return f"{difference_text(judged.difference)} (anything)"
    return f"{difference_text(judged.difference)} ({100 * judged.low:+.2f} to {100 * judged.high:+.2f})"


def trend_lines(names: Sequence[str], found: Sequence[Plateau]) -> Iterator[str]:
    """A line a plateau, and how far it is from the one before."""
    before = None
    for plateau in found:
        span = (
            names[plateau.first] if plateau.first == plateau.last else f"{names[plateau.first]} … {names[plateau.last]}"
        )
        step = (
            ""
            if before is None
            else f", {difference_text(plateau.mean / before.mean - 1)} from {names[plateau.first]} on"
        )
        count = plateau.last - plateau.first + 1
        yield f"{rate_text(plateau.mean)} ± {100 * plateau.spread / plateau.mean:.2f} % of {count}: {span}{step}"
        before = plateau


def markdown(comparison: Comparison, within: float) -> str:
    return table(comparison, within).markdown


def as_csv(comparison: Comparison) -> str:
    lines: list[tuple[Any, ...]] = [
        (
            *(row.subject.kind, row.subject.load, row.subject.directions, row.subject.figure, row.subject.dut),
            *(row.a_pps, row.b_pps, row.judgement.difference, row.judgement.low, row.judgement.high),
            *(row.judgement.word, row.judgement.needed),
        )
        for row in comparison.rows
    ]
    told = ("a_pps", "b_pps", "difference", "low", "high", "verdict", "needed")
    return csv_lines([("kind", "load", "directions", "figure", "dut", *told), *lines])


def as_json(comparison: Comparison, within: float, confidence: float) -> str:
    document: dict[str, Any] = {"schema": "wirespeed-compare/3", "equivalence": within, "confidence": confidence}
    document |= {"control": comparison.control, "rows": [asdict(row) for row in comparison.rows]}
    return json.dumps(document, indent=1, allow_nan=False) + "\n"
