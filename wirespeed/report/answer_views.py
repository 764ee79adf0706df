"""The answers as cards: how fast, can it be believed, and what limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.pages.words import three_digits
from wirespeed.report.answers import Answer, Trust, answers
from wirespeed.report.comparison import Comparison
from wirespeed.report.looks import Colours
from wirespeed.report.searches import IRREGULAR, bounds_text, goal_name, searches_of
from wirespeed.results.figures import Scaler

MOST_CARDS = 8


@dataclass(frozen=True)
class Card:
    """The answer of one router, of `test`; `why` says what limited it, `bounds` are what searches of the same test
    found."""

    dut: str
    colour: str
    rate: str
    unit: str
    share: str
    trust: Trust
    why: str
    test: str
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerCards:
    """The cards under one heading, and how many routers have none: for want of room, or they carried other loads."""

    heading: str
    cards: tuple[Card, ...]
    more: int


def answer_cards(
    comparison: Comparison, scaler: Scaler, colours: Colours, sentences: Mapping[str, str]
) -> AnswerCards | None:
    """`sentences` say of a test by its name what limited it."""
    found = answers(comparison.groups)
    if found is None:
        return None
    ways = "one direction" if found.directions == 1 else f"{found.directions} directions together"
    cards = []
    for answer in found.duts[:MOST_CARDS]:
        lines, percent, name = found.directions, answer.line_percent, answer.test.result.name
        whole = "line" if lines == 1 else f"{lines} lines"
        card = Card(
            dut=answer.dut,
            colour=colours.get(answer.dut, ""),
            rate=three_digits(answer.rate_pps / scaler.divisor),
            unit=scaler.unit,
            share="line rate unknown" if percent is None else f"{three_digits(percent)} % of {whole}",
            trust=answer.trust,
            why=sentences.get(name, ""),
            test=name,
            bounds=_bounds(answer, comparison, scaler),
        )
        cards.append(card)
    return AnswerCards(f"{found.load}, {ways}", tuple(cards), max(0, len(found.duts) - MOST_CARDS) + found.others)


def _bounds(answer: Answer, comparison: Comparison, scaler: Scaler) -> tuple[str, ...]:
    """What searches of the very test found."""
    (load,) = [group.load for group in comparison.groups if answer.test in group.tests][:1]
    each = " each way" if len(answer.test.directions) > 1 else ""
    return tuple(
        f"{goal_name(one.goal)}: {bounds_text(one, scaler)}{each}{f', {IRREGULAR[1]}' if one.irregular else ''}"
        for search in searches_of(answer.test, load, comparison.searches)
        for one in search.goals
    )
