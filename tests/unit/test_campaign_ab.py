"""Comparison of two builds: error rates as stated, by simulation with known results; pairs; the table."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from wirespeed.campaign.ab import PairComparison, in_pairs, markdown, names_of
from wirespeed.campaign.cells import CampaignCell, CampaignSetup
from wirespeed.compare.sequential import AbVerdict, judge, t_cdf, t_quantile
from wirespeed.errors import UsageError

CELL = CampaignCell("c", "bench", CampaignSetup("old"), "64b", "loadtest", (), "both", 1, 10.0, "0")
MOST_PAIRS = 30


@pytest.mark.parametrize(
    ("freedom", "share", "t"),
    # Tables of Student's distribution.
    [(1, 0.975, 12.706), (2, 0.975, 4.303), (4, 0.995, 4.604), (9, 0.975, 2.262), (29, 0.9995, 3.659)],
)
def test_students_quantiles_are_those_of_tables(freedom: int, share: float, t: float) -> None:
    assert t_quantile(share, freedom) == pytest.approx(t, abs=6e-4)
    assert t_cdf(t, freedom) == pytest.approx(share, abs=2e-5)


def verdict(random: Random, ratio: float, spread: float) -> str:
    """Verdict of one comparison that is evaluated after each pair, with a drift that affects both builds."""
    a: list[float] = []
    b: list[float] = []
    while len(a) < MOST_PAIRS:
        drift = 1 + 0.1 * random.random()
        a.append(1e6 * drift * random.gauss(1, spread))
        b.append(1e6 * drift * ratio * random.gauss(1, spread))
        found = judge(a, b)
        if found.is_clear:
            return found.word
    return "cannot tell"


def test_at_most_one_in_twenty_sees_a_difference_where_none_is() -> None:
    random = Random(1)
    words = [verdict(random, 1.0, 0.015) for _ in range(1000)]
    assert sum(word in ("better", "worse") for word in words) <= 50
    assert words.count("same") > 900


@pytest.mark.parametrize(("ratio", "word"), [(1.03, "better"), (0.97, "worse")])
def test_three_percent_are_found_nine_times_in_ten(ratio: float, word: str) -> None:
    random = Random(2)
    words = [verdict(random, ratio, 0.015) for _ in range(1000)]
    assert words.count(word) >= 900
    assert not set(words) & {"better", "worse"} - {word}


def test_too_few_pairs_say_so() -> None:
    assert judge([1, 1], [2, 2]).text == "cannot tell: 2 pairs, at least 3 are needed"
    assert judge([1], [2]).text == "cannot tell: 1 pair, at least 3 are needed"
    assert judge([1, 0, 1, 1], [2, 1, 2, 0]).pairs == 2


def test_pairs_alternate_and_stay_together() -> None:
    cells = tuple(
        replace(CELL, setup=CampaignSetup(name), test=test, repeat=repeat)
        for test in ("x", "y")
        for name in ("old", "new")
        for repeat in (1, 2, 3)
    )
    order = "old-x1 new-x1 old-y1 new-y1 new-x2 old-x2 new-y2 old-y2 old-x3 new-x3 old-y3 new-y3"
    assert " ".join(f"{cell.setup.name}-{cell.test}{cell.repeat}" for cell in in_pairs(cells)) == order


def test_one_device_and_three_cannot_be_compared() -> None:
    with pytest.raises(UsageError, match="compares two DUTs, and the campaign has 1: old"):
        names_of((CELL,))


def test_the_table() -> None:
    found = PairComparison(("bench", "64b|x", "both"), "", 1e6, 1.05e6, AbVerdict("better", 5, 0.05, 0.03, 0.07))
    head, rule, row = markdown(("old", "new"), [found]).splitlines()
    assert head.split() == ["|", "test", "|", "old", "|", "new", "|", "verdict", "|"]
    assert rule.count("-:") == 2
    assert row == "| 64b\\|x both on bench | 1.00 Mpps | 1.05 Mpps | better: +5.00 % (+3.00 to +7.00) of 5 pairs |"
