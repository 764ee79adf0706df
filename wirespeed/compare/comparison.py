"""Two sides compared test by test. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from wirespeed.compare.judgement import Judgement, LogDifference, bounded, drift, judge
from wirespeed.errors import UsageError
from wirespeed.results.subjects import Subject, Value


@dataclass(frozen=True)
class ComparisonRow:
    """One test; medians in packets per second, None of a side that has none of it. `a_bound` and `b_bound` name what
    makes at least half of a side's values lower bounds. `steps` are the ratios between which the difference lies where
    estimates are compared, each of which is known to a step of its ramp; None where that is not more than `within`."""

    subject: Subject
    a_pps: float | None
    b_pps: float | None
    judgement: Judgement
    irregular: int
    """Values that were left out, since they are not to be believed."""
    a_bound: str = ""
    b_bound: str = ""
    steps: tuple[float, float] | None = None


@dataclass(frozen=True)
class Comparison:
    """`control` is what the bench moved by as a ratio, None without a control."""

    rows: tuple[ComparisonRow, ...]
    control: float | None = None

    def count(self, word: str) -> int:
        return sum(row.judgement.word == word for row in self.rows)


Values = Mapping[Subject, Sequence[Value]]


def compare(a: Values, b: Values, within: float, confidence: float, control: str = "") -> Comparison:
    """`control`: a part of the load's name; those tests tell what the bench did, which is taken off the others.
    UsageError when it is none of both sides, or has too few repeats."""
    moved = _control(a, b, control) if control else None
    rows = []
    for subject in sorted(a.keys() | b.keys()):
        sides = [[value for value in side.get(subject, ()) if not value.irregular] for side in (a, b)]
        left_out = len(a.get(subject, ())) + len(b.get(subject, ())) - sum(map(len, sides))
        old, new = ([value.rate_pps for value in side] for side in sides)
        is_control = bool(control) and control in subject.load
        judged = judge(old, new, within, confidence, None if is_control else moved)
        a_bound, b_bound = (_bound(side) for side in sides)
        judged = bounded(judged, bool(a_bound), bool(b_bound))
        a_pps, b_pps = (median(rates) if rates else None for rates in (old, new))
        steps = _steps(sides[0], sides[1], within)
        rows.append(ComparisonRow(subject, a_pps, b_pps, judged, left_out, a_bound, b_bound, steps))
    return Comparison(tuple(rows), None if moved is None else moved.difference)


def _steps(a: Sequence[Value], b: Sequence[Value], within: float) -> tuple[float, float] | None:
    if not a or not b or not any(value.mark == "estimate" for value in (*a, *b)):
        return None
    if not all(value.rate_pps for value in a):
        return None
    (a_low, a_high), (b_low, b_high) = (
        (fmean(value.limits_pps[0] for value in side), fmean(value.limits_pps[1] for value in side)) for side in (a, b)
    )
    low, high = b_low / a_high - 1, b_high / a_low - 1
    return (low, high) if high - low > within else None


def _bound(values: Sequence[Value]) -> str:
    """Cause that bounds at least half of the values from below; empty without one."""
    found = [value.bound or "at least" for value in values if value.at_least]
    return found[0] if found and 2 * len(found) >= len(values) else ""


def _control(a: Values, b: Values, control: str) -> LogDifference:
    subjects = sorted(one for one in a.keys() & b.keys() if control in one.load)
    if not subjects:
        raise UsageError(f"--control {control}: no load of both sides contains this text; give part of a load's name")
    drifts = [drift([v.rate_pps for v in a[one]], [v.rate_pps for v in b[one]]) for one in subjects]
    told = [one for one in drifts if one is not None]
    if not told:
        raise UsageError(f"--control {control}: the control test needs two or more repeats on each side")
    return max(told, key=lambda one: one.freedom)
