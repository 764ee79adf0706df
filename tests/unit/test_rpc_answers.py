"""T-Rex's answers to some 330 requests, and ours: the same, or listed with the reason in docs/generator.md."""

from __future__ import annotations

import pytest
from trex_answers import documented
from trex_differences import (
    OTHERS,
    REASONS,
    REQUESTS,
    Answers,
    compared,
    different,
    remaining_tables,
    requests_table,
    shown,
)

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


def test_the_tables_of_differences_are_those_that_are_generated(answers: Answers) -> None:
    """`python tests/unit/trex_differences.py` writes them."""
    assert shown(REQUESTS).strip() == requests_table(answers).strip()
    assert shown(OTHERS).strip() == remaining_tables(answers).strip()
