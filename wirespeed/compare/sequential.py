"""Comparison of two builds after each pair of runs, with a bounded error however often it is made. Pure.

Differences of pairs are those of logarithms: a spread in percent is the same at any rate, and drift that affects both
runs of a pair cancels out. After each pair, their mean has a Student interval whose confidence grows with the number of
looks. Look k may err with probability ALPHA / (k (k + 1)), which sums to ALPHA (a union bound, so the true error is
smaller)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import Literal

from wirespeed.pages.words import count
from wirespeed.results.figures import difference_text

ALPHA = 0.05
"""Probability of a false *better* or *worse* for builds that do not differ."""
FIRST_LOOK = 3
SAME_WITHIN = 0.03

Word = Literal["better", "worse", "same", "cannot tell"]


@dataclass(frozen=True)
class AbVerdict:
    """`difference` of B to A as a ratio (0.02: 2 % more), between `low` and `high`; None with too few pairs. `pairs` is
    the number of pairs."""

    word: Word
    pairs: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def is_clear(self) -> bool:
        return self.word != "cannot tell"

    @property
    def text(self) -> str:
        if self.difference is None or self.low is None or self.high is None:
            return f"cannot tell: {count(self.pairs, 'pair')}, at least {FIRST_LOOK} are needed"
        word = f"same within {100 * SAME_WITHIN:g} %" if self.word == "same" else self.word
        bounds = f"{100 * self.low:+.2f} to {100 * self.high:+.2f}"
        return f"{word}: {difference_text(self.difference)} ({bounds}) of {self.pairs} pairs"


def judge(a: Sequence[float], b: Sequence[float], same_within: float = SAME_WITHIN) -> AbVerdict:
    """The verdict after each of the pairs (a[i], b[i]), figures of which more is better. Figures of 0 and less are
    ignored."""
    logs = [math.log(new / old) for old, new in zip(a, b, strict=False) if old > 0 and new > 0]
    pairs = len(logs)
    if pairs < FIRST_LOOK:
        return AbVerdict("cannot tell", pairs)
    look = pairs - FIRST_LOOK + 1
    half = t_quantile(1 - ALPHA / (look * (look + 1)) / 2, pairs - 1) * stdev(logs) / math.sqrt(pairs)
    low, high = fmean(logs) - half, fmean(logs) + half
    word: Word = "cannot tell"
    if low > 0:
        word = "better"
    elif high < 0:
        word = "worse"
    elif low > math.log(1 - same_within) and high < math.log(1 + same_within):
        word = "same"
    return AbVerdict(word, pairs, math.expm1(fmean(logs)), math.expm1(low), math.expm1(high))


@lru_cache(maxsize=1024)
def t_quantile(share: float, freedom: int) -> float:
    """Quantile of Student's t with `freedom` degrees of freedom, for shares above one half; to 1e-9, by bisection."""
    low, high = 0.0, 1.0
    while t_cdf(high, freedom) < share:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < share else (low, middle)
    return high


def t_cdf(t: float, freedom: int) -> float:
    """Student's distribution for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    first = 1 if freedom % 2 == 0 else 2
    term, total = 1.0 if first == 1 else cosine, 0.0
    for power in range(first, freedom, 2):
        total += term
        term *= cosine * cosine * power / (power + 1)
    within = sine * total if first == 1 else 2 / math.pi * (angle + sine * total)
    return 0.5 + within / 2
