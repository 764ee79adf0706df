"""Confidence bounds of rare losses: exact bounds of a Poisson count. Pure.

Of n packets k were lost. If losses are rare and independent, k has a Poisson distribution whose mean is n times the
true loss ratio. The bounds on that mean are quantiles of the gamma distribution (Garwood 1936). The upper one at
confidence c is the mean for which k or fewer losses have probability 1 - c. For k = 0 that is -ln(1 - c), which at 95 %
is the rule of three: at most 3 / n. The binomial bounds of Clopper and Pearson are never wider, and equal for ratios as
small as those of a soak. Losses in bursts are not independent: then the bounds are those of the bursts seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

METHOD = "exact Poisson"
METHOD_ZERO = "exact Poisson, none lost (rule of three)"

_MANY = 100_000
"""From here on the cube root of Wilson and Hilferty (1931) has eight digits right, and costs nothing."""

_ROUNDS = 200
_CLOSE = 1e-13


def method_of(count: int) -> str:
    return METHOD if count else METHOD_ZERO


def most_expected(count: int, confidence: float) -> float:
    """Upper bound of the mean of a Poisson count at a one-sided `confidence`, between 0 and 1."""
    if count == 0:
        return -math.log1p(-confidence)
    if count >= _MANY:
        return _by_cube_root(count + 1, confidence)
    # P(X <= count; mean) falls as the mean rises.
    return _solved(lambda mean: _upper_gamma(count + 1, mean) - (1 - confidence), count)


def least_expected(count: int, confidence: float) -> float:
    """Lower bound of that mean."""
    if count == 0:
        return 0.0
    if count >= _MANY:
        return _by_cube_root(count, 1 - confidence)
    # P(X >= count; mean) rises with the mean.
    return _solved(lambda mean: (1 - confidence) - (1 - _upper_gamma(count, mean)), count)


def _by_cube_root(shape: float, share: float) -> float:
    """The quantile of a gamma distribution of scale 1 that `share` of it lies below."""
    return shape * (1 - 1 / (9 * shape) + NormalDist().inv_cdf(share) / (3 * math.sqrt(shape))) ** 3


def _solved(falling: Callable[[float], float], count: int) -> float:
    """Root of a falling function of the mean, searched near `count`."""
    spread = 10 * math.sqrt(count + 1) + 60
    low, high = max(0.0, count - spread), count + spread
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
        if high - low <= _CLOSE * high:
            break
    return (low + high) / 2


def _upper_gamma(shape: float, x: float) -> float:
    """The regularised upper incomplete gamma function Q(shape, x) (DLMF 8.2.4): P(X < shape) of a Poisson count of mean
    x."""
    if x <= 0:
        return 1.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:  # the series of the lower function (DLMF 8.7.1)
        term = total = 1 / shape
        at = shape
        while term > total * 1e-17:
            at += 1
            term *= x / at
            total += term
        return 1 - scale * total
    # The continued fraction of the upper one (DLMF 8.9.2), by Lentz's method.
    b = x + 1 - shape
    c, d = 1e300, 1 / b
    result, at = d, 0
    while True:
        at += 1
        factor = -at * (at - shape)
        b += 2
        d = 1 / (factor * d + b or 1e-300)
        c = b + factor / c or 1e-300
        result *= c * d
        if abs(c * d - 1) < 1e-15:
            return scale * result
