"""Two sets of repeats of one figure: better, worse, the same within a bound, or how many more repeats it takes. Pure.

Logarithms are compared, so that a spread in percent is the same at any rate. Their means' difference has the interval
of Welch's t test (unequal spreads; degrees of freedom by Welch and Satterthwaite, rounded down, which errs to the wide
side). A control, the same test on something that did not change, is taken off: its difference is the bench's.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Literal

from wirespeed.compare.sequential import t_quantile

Word = Literal["better", "worse", "same", "cannot tell"]
MOST_NEEDED = 1000
_POWER = 0.9


@dataclass(frozen=True)
class LogDifference:
    """Difference of means of logarithms, with its variance and degrees of freedom."""

    difference: float
    variance: float
    freedom: float

    def minus(self, other: LogDifference) -> LogDifference:
        """The difference without `other`, which affected both sides alike."""
        total = self.variance + other.variance
        squares = self.variance**2 / self.freedom + other.variance**2 / other.freedom
        return LogDifference(self.difference - other.difference, total, total**2 / squares if squares else self.freedom)

    def half_width(self, confidence: float) -> float:
        return t_quantile((1 + confidence) / 2, max(1, math.floor(self.freedom))) * math.sqrt(self.variance)


@dataclass(frozen=True)
class Judgement:
    """`difference` of B to A as a ratio (0.02: 2 % more), between `low` and `high`; None without two repeats per side.
    With one run each, the difference has no bounds. `needed` is the number of further repeats per side for the verdict
    `same` in 90 % of cases, if the two do not differ and their spread stays the same; None if unknown or 0. `why` is
    any other reason against a verdict."""

    word: Word
    a_count: int
    b_count: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    needed: int | None = None
    why: str = ""


def drift(a: Sequence[float], b: Sequence[float]) -> LogDifference | None:
    """Drift from A to B, for figures above 0; None with fewer than two of one of them, or with one of 0."""
    if len(a) < 2 or len(b) < 2 or not all((*a, *b)):
        return None
    logs_a, logs_b = [math.log(value) for value in a], [math.log(value) for value in b]
    share_a, share_b = variance(logs_a) / len(a), variance(logs_b) / len(b)
    squares = share_a**2 / (len(a) - 1) + share_b**2 / (len(b) - 1)
    total = share_a + share_b
    return LogDifference(fmean(logs_b) - fmean(logs_a), total, total**2 / squares if squares else len(a) + len(b) - 2)


def judge(
    a: Sequence[float], b: Sequence[float], within: float, confidence: float, control: LogDifference | None = None
) -> Judgement:
    """`within` is the ratio that counts as no difference, `confidence` of the interval, both between 0 and 1."""
    change = drift(a, b)
    if change is None and len(a) == len(b) == 1:
        ratio = b[0] / a[0] - 1 if a[0] else None
        return Judgement("cannot tell", 1, 1, ratio, needed=1, why="one run each: cannot be judged")
    if min(len(a), len(b)) > 1 and not all((*a, *b)):
        return _of_nothing(a, b)
    if change is None:
        return Judgement("cannot tell", len(a), len(b), needed=2 - min(len(a), len(b), 2))
    if control is not None:
        change = change.minus(control)
    half = change.half_width(confidence)
    low, high = change.difference - half, change.difference + half
    word: Word = "cannot tell"
    if low > math.log1p(-within) and high < math.log1p(within):
        word = "same"
    elif low > 0:
        word = "better"
    elif high < 0:
        word = "worse"
    needed = _needed(a, b, within, confidence) if word == "cannot tell" else None
    return Judgement(word, len(a), len(b), math.expm1(change.difference), math.expm1(low), math.expm1(high), needed)


def _of_nothing(a: Sequence[float], b: Sequence[float]) -> Judgement:
    """The verdict where runs forwarded nothing, which has no logarithm."""
    word: Word = "cannot tell"
    if all(a) and not any(b):
        word = "worse"
    elif all(b) and not any(a):
        word = "better"
    elif not any((*a, *b)):
        word = "same"
    why = "some runs forwarded nothing" if word == "cannot tell" else ""
    return Judgement(word, len(a), len(b), -1.0 if word == "worse" else None, why=why)


def bounded(judgement: Judgement, a_at_least: bool, b_at_least: bool) -> Judgement:
    """The verdict where figures are only lower bounds: A better than what B at least has stays no verdict."""
    word, why = judgement.word, ""
    if a_at_least and b_at_least:
        why = "both are lower bounds"
    elif b_at_least and word != "better":
        why = "B is a lower bound"
    elif a_at_least and word != "worse":
        why = "A is a lower bound"
    if not why:
        return judgement
    return Judgement(
        "cannot tell",
        judgement.a_count,
        judgement.b_count,
        judgement.difference,
        judgement.low,
        judgement.high,
        None,
        why,
    )


def _needed(a: Sequence[float], b: Sequence[float], within: float, confidence: float) -> int | None:
    """Repeats more a side until the interval lies within what counts as the same, wherever in its own nine tenths the
    difference is found (two one-sided tests, each with a power of 90 %)."""
    spread = (variance([math.log(x) for x in a]) + variance([math.log(x) for x in b])) / 2
    there, half = min(len(a), len(b)), math.log1p(within)

    def tells(count: int) -> bool:
        freedom = 2 * count - 2
        widths = t_quantile((1 + confidence) / 2, freedom) + t_quantile((1 + _POWER) / 2, freedom)
        return widths * math.sqrt(2 * spread / count) < half

    # The more repeats, the narrower.
    count = bisect_left(range(there + 1, MOST_NEEDED), True, key=tells) + there + 1
    return count - there if count < MOST_NEEDED else None
