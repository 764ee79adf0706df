"""T-Rex's answers to some 330 requests and wirespeed's: equal, or listed with the reason in
docs/develop/protocol.md.
"""

from __future__ import annotations

import pytest
from trex_answers import documented
from trex_requests import REASONS, Answers, compared, different, shown, table

MOST_DIFFERENT = 10


@pytest.fixture(scope="module")
def answers() -> Answers:
    return compared()


def test_answers_are_trexs_or_documented(answers: Answers) -> None:
    listed = documented()
    assert not {what: answers[what] for what in different(answers) if what not in listed}


def test_every_documented_deviation_is_one(answers: Answers) -> None:
    assert sorted(documented()) == sorted(REASONS) == sorted(different(answers))


def test_few_answers_differ(answers: Answers) -> None:
    assert len(answers) > 300
    assert len(different(answers)) <= MOST_DIFFERENT


def test_the_table_is_the_one_that_is_generated(answers: Answers) -> None:
    """`python tests/unit/trex_differences.py` writes it."""
    assert shown() == table(answers)
