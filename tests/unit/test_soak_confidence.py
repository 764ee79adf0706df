"""Bounds of rare losses, compared with numbers computed by hand and printed in tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.results.confidence import least_expected, most_expected


@pytest.mark.parametrize(
    ("count", "confidence", "upper"),
    [
        (0, 0.95, -math.log(0.05)),  # the rule of three
        (0, 0.99, -math.log(0.01)),
        # exp(-m) (1 + m) = 0.05, and with m squared over two for two of them
        (1, 0.95, 4.743865),
        (2, 0.95, 6.295794),
        # Garwood's table of 95 % intervals: each side at 97.5 %
        (3, 0.975, 8.767273),
        (10, 0.975, 18.390356),
    ],
)
def test_upper_bounds_are_those_of_the_tables(count: int, confidence: float, upper: float) -> None:
    assert most_expected(count, confidence) == pytest.approx(upper, rel=1e-6)


@pytest.mark.parametrize(
    ("count", "confidence", "lower"),
    [(0, 0.95, 0.0), (1, 0.95, -math.log(0.95)), (1, 0.975, 0.025318), (3, 0.975, 0.618672), (10, 0.975, 4.795389)],
)
def test_lower_bounds_are_those_of_the_tables(count: int, confidence: float, lower: float) -> None:
    assert least_expected(count, confidence) == pytest.approx(lower, rel=1e-4)


def test_the_upper_bound_of_one_solves_its_equation() -> None:
    mean = most_expected(1, 0.95)
    assert math.exp(-mean) * (1 + mean) == pytest.approx(0.05, rel=1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_many_are_bounded_as_few_are(confidence: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rough = most_expected(100_000, confidence), least_expected(100_000, confidence)
    monkeypatch.setattr("wirespeed.results.confidence._MANY", math.inf)
    exact = most_expected(100_000, confidence), least_expected(100_000, confidence)
    assert rough == pytest.approx(exact, rel=1e-7)


@given(st.integers(0, 10**9), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_bounds_hold_the_count_between_them(count: int, confidence: float) -> None:
    least, most = least_expected(count, confidence), most_expected(count, confidence)
    assert least <= count + 1 and most >= count
    # Far from zero they are those of a normal distribution.
    if count > 10**6:
        assert most - least < 8 * math.sqrt(count)
