"""The answers as cards: how fast, can it be believed, and what limits."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.pages.trust import Trust, trust_of
from wirespeed.report.answers import Answer, answers
from wirespeed.report.comparison import Comparison
from wirespeed.report.loads import beside
from wirespeed.report.looks import Colours
from wirespeed.results.verdict import Figure

MOST_CARDS = 8


@dataclass(frozen=True)
class Card:
    """The answer of one router, of `test`; `full_load` is what it forwarded at full load, `why` says what limited it,
    `bounds` are the loads that others of the same test found."""

    dut: str
    colour: str
    rate: str
    unit: str
    share: str
    full_load: str
    trust: Trust
    why: str
    test: str
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnswerCards:
    """The cards under one heading, and how many routers have none: for lack of room, or they carried other loads."""

    heading: str
    cards: tuple[Card, ...]
    more: int


def answer_cards(comparison: Comparison, colours: Colours) -> AnswerCards | None:
    found = answers(comparison.groups, comparison.verdicts)
    if found is None:
        return None
    ways = "one direction" if found.directions == 1 else f"{found.directions} directions together"
    cards = []
    for answer in found.duts[:MOST_CARDS]:
        verdict = answer.verdict
        shown, full = verdict.shown, verdict.full_load
        card = Card(
            dut=answer.dut,
            colour=colours.get(answer.dut, ""),
            rate=shown.rate_parts[0],
            unit=shown.rate_parts[1],
            share=_share(shown),
            full_load="" if full is None or full is shown else full_load_text(full),
            trust=trust_of(shown, verdict.disturbed),
            why=verdict.sentence.replace("`", ""),
            test=verdict.name,
            bounds=_bounds(answer, comparison),
        )
        cards.append(card)
    return AnswerCards(f"{found.load}, {ways}", tuple(cards), max(0, len(found.duts) - MOST_CARDS) + found.others)


def _share(figure: Figure) -> str:
    if not figure.is_measured:
        return ""
    return "line rate unknown" if figure.line_percent is None else figure.share_text


def full_load_text(full: Figure) -> str:
    """`At full load 4.41 Mpps, loss 1.2 %`."""
    return f"At full load {full.text}" + (f", loss {full.loss_text}" if full.is_measured else "")


def _bounds(answer: Answer, comparison: Comparison) -> tuple[str, ...]:
    """What results of the very test found."""
    (load,) = [group.load for group in comparison.groups if answer.test in group.tests][:1]
    return tuple(
        one.line
        for result in beside(answer.test, load, comparison.bounds)
        for one in comparison.verdicts[result.name].figures
    )
