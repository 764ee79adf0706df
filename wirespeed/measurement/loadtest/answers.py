"""Answer cards: one figure for each router, at the hardest load that all of them forwarded, with its reliability and
its limit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Cards, VerdictCard
from wirespeed.measurement.load import LoadGroup, beside, group_by_load
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.reported import Shown
from wirespeed.pages.duts import dut_name, edition
from wirespeed.pages.loads import ways_title
from wirespeed.pages.trust import trust_of
from wirespeed.pages.words import count
from wirespeed.results.ending import COMPLETE
from wirespeed.results.figures import Scaler
from wirespeed.results.verdict import Figure, Verdict

MOST_CARDS = 8
SAME = 0.01
"""Share by which a sample's offered and received load may differ."""


@dataclass(frozen=True)
class DutAnswer:
    """Answer for one router: the verdict on `test`, its most informative test."""

    test: Result
    dut: str
    verdict: Verdict


@dataclass(frozen=True)
class DutComparison:
    """Routers side by side, the highest rate first; `directions` is how many carried `load` at once, `others` how many
    routers did not carry it. `older` tests of these routers are not shown.
    """

    load: str
    directions: int
    duts: tuple[DutAnswer, ...]
    others: int
    older: int


@dataclass(frozen=True)
class _Run:
    test: Result
    verdict: Verdict

    @property
    def dut(self) -> str:
        return dut_name(self.test)

    @property
    def lines(self) -> int:
        return len(self.test.channels)

    @property
    def rate_pps(self) -> float:
        return self.verdict.shown.rate_pps or 0.0

    @property
    def rank(self) -> tuple[float, float]:
        """The rate; of equal ones that at full load."""
        full = self.verdict.full_load
        return self.rate_pps, 0.0 if full is None else full.rate_pps or 0.0

    @property
    def worth(self) -> tuple[bool, bool, str, float]:
        """Order of preference: a complete test before an interrupted one, a held load before one that was not held,
        then the newest, as on sites; of one time the higher rate."""
        held = self.verdict.figure
        return self.verdict.status == COMPLETE, bool(held.rate_pps), self.test.ending.started, self.rate_pps


def answers(groups: Sequence[LoadGroup[Result]], verdicts: Mapping[str, Verdict]) -> DutComparison | None:
    """The load for comparison: of those that most DUTs ran, the one with the smallest frames, both directions before
    one; among equals the one with the lowest forwarding rate. `verdicts` are by the names of tests. None if no
    test measured anything.
    """
    runs = [
        (number, _Run(test, verdicts[test.name]))
        for number, group in enumerate(groups)
        for test in group.results
        if test.analysis.curves[-1].measured
    ]
    duts = {run.dut for _, run in runs}
    best: tuple[tuple[float, ...], DutComparison] | None = None
    for number, directions in dict.fromkeys((number, run.lines) for number, run in runs):
        load = groups[number].load
        mine = [run for owner, run in runs if owner == number and run.lines == directions]
        chosen = sorted(_best_runs(mine), key=lambda run: run.rank, reverse=True)
        frame_bytes = math.inf if load.frame_bytes is None else round(load.frame_bytes, 0)
        hardness = (len(chosen), -frame_bytes, directions, -sum(run.rate_pps for run in chosen))
        if best is None or hardness > best[0]:
            cards = tuple(DutAnswer(run.test, run.dut, run.verdict) for run in chosen)
            others, older = len(duts) - len(cards), len(mine) - len(cards)
            best = hardness, DutComparison(load.title, directions, cards, others, older)
    return best[1] if best else None


def _best_runs(runs: Sequence[_Run]) -> list[_Run]:
    """The run of each router that is worth most."""
    best: dict[str, _Run] = {}
    for run in runs:
        known = best.get(run.dut)
        if known is None or run.worth > known.worth:
            best[run.dut] = run
    return list(best.values())


def cards_of(results: Sequence[Result], shown: Shown) -> Cards | None:
    """The answers, and how many routers have none: for lack of room, or they carried other loads."""
    groups = group_by_load(results)
    answered = answers(groups, shown.verdicts)
    if answered is None:
        return None
    carded = answered.duts[:MOST_CARDS]
    cards = tuple(_card(answer, groups, shown) for answer in carded)
    more = max(0, len(answered.duts) - MOST_CARDS) + answered.others
    rest = f"{count(more, 'more DUT')} in “Side by side”." if more else ""
    older = f"The newest result of each DUT; {count(answered.older, 'other')} in “Side by side”."
    notes = (*_alike_text(carded, shown.scaler), *((older,) if answered.older else ()))
    return Cards(f"{answered.load}, {ways_title(answered.directions)}", cards, rest, identity="answers", notes=notes)


def _alike_text(duts: Sequence[DutAnswer], scaler: Scaler) -> Iterator[str]:
    """Routers of equal estimates, whose limits lie within the same step, and what tells them apart."""
    by_rate: dict[str, list[DutAnswer]] = {}
    for answer in duts:
        if answer.verdict.shown.mark == "estimate":
            by_rate.setdefault(answer.verdict.shown.text_in(scaler), []).append(answer)
    for rate, some in by_rate.items():
        if len(some) < 2:
            continue
        names = f"{', '.join(one.dut for one in some[:-1])} and {some[-1].dut}"
        full = {one.dut: one.verdict.full_load for one in some}
        rates = {dut: load.rate_pps for dut, load in full.items() if load is not None and load.rate_pps}
        first = max(rates, key=rates.__getitem__, default="")
        differs = len({load.text for load in full.values() if load}) > 1
        more = f"; at full load {first} forwards most" if differs else ""
        why = f"their limits are within one step of the load{more}"
        yield f"{names} cannot be told apart by estimates of {rate}: {why}."


def _card(answer: DutAnswer, groups: Sequence[LoadGroup[Result]], shown: Shown) -> VerdictCard:
    verdict, scaler = answer.verdict, shown.scaler
    figure, full = verdict.shown, verdict.full_load
    (load,) = [group.load for group in groups if answer.test in group.results][:1]
    bounds = (shown.verdicts[one.name] for one in beside(answer.test, load, shown.bounds))
    rate, unit = figure.parts(scaler)
    return VerdictCard(
        dut=answer.dut,
        colour=shown.colours.get(answer.dut, ""),
        rate=rate,
        unit=unit,
        share=_share(figure, scaler),
        heading=verdict.heading(figure) if figure.is_measured else "",
        trust=trust_of(figure, verdict.disturbed, verdict.samples, scaler),
        more=(
            *_loss_onset_text(answer.test, figure, scaler),
            *(() if full is None or full is figure else (_full_load_text(full, scaler),)),
            *(one.line_in(scaler) for bound in bounds for one in bound.figures),
        ),
        because=verdict.sentence.replace("`", ""),
        of=verdict.name,
        edition=edition(answer.test),
    )


def _share(figure: Figure, scaler: Scaler) -> str:
    if not figure.is_measured:
        return ""
    share = "line rate unknown" if figure.line_percent is None else figure.share_text
    return ", ".join(filter(None, (figure.each_text(scaler), share)))


def _loss_onset_text(test: Result, figure: Figure, scaler: Scaler) -> Iterator[str]:
    """`Loss begins between 4.46 and 5.95 Mpps`, where it lasts. The lower load is also the highest sample of an
    estimate."""
    whole = test.analysis.curves[-1]
    if whole.outcome.loss_onset is None:
        return
    onset, passed = f"{scaler.text(whole.outcome.loss_onset.offered_pps)} {scaler.unit}", whole.passed_pps
    if passed is None:
        yield f"Loss begins at or below {onset}"
        return
    highest_pps = figure.high_pps if figure.mark == "estimate" else None
    is_highest = highest_pps is not None and math.isclose(highest_pps, passed, rel_tol=SAME)
    which = ", the highest sample of the estimate," if is_highest else ""
    yield f"Loss begins between {scaler.text(passed)}{which} and {onset}"


def _full_load_text(full: Figure, scaler: Scaler) -> str:
    """`Overloaded with 4.46 Mpps: still forwards 4.41 Mpps, loss 1.2 %`."""
    if not full.is_measured or full.offered_pps is None:
        return f"At full load: {full.text_in(scaler)}"
    offered = f"{scaler.text(full.offered_pps)} {scaler.unit}"
    name = (
        f"Overloaded with {offered}: {'still ' if full.rate_pps else ''}forwards"
        if full.mark == "lossy"
        else f"At full load, {offered}: forwards"
    )
    return f"{name} {full.text_in(scaler)}, loss {full.loss_text}"
