"""How fast each router was, in one figure each: at the hardest load that all of them carried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.report.duts import dut_name
from wirespeed.report.loads import Group
from wirespeed.report.remarks import status
from wirespeed.results.analysis import Analysis, Curve
from wirespeed.results.outcome import COMPLETE


@dataclass(frozen=True)
class Trust:
    """How far a figure can be believed: a shape, a word and why."""

    shape: str
    word: str
    why: str


BROKEN_OFF = Trust("✕", "broken off", "The test did not complete: the figure covers only what ran.")
TESTER_LIMITED = Trust("▲", "tester-limited: at least this", "The tester was the limit, not the router.")
ESTIMATE = Trust("◆", "estimate", "The highest load of a ramp whose sample lost no more than the threshold.")
LOSSY = Trust("◇", "never without loss", "No sample was within the loss threshold: this is the most that came back.")


@dataclass(frozen=True)
class Answer:
    """Of one router: `rate_pps` over all directions, as a share of all their lines where those are known; `test` is
    the one that it is of."""

    test: Analysis
    dut: str
    rate_pps: float
    line_percent: float | None
    trust: Trust


@dataclass(frozen=True)
class Answers:
    """Routers side by side in the order of their tests; `directions` is how many carried `load` at once, `others`
    how many routers did not carry it.
    """

    load: str
    directions: int
    duts: tuple[Answer, ...]
    others: int


@dataclass(frozen=True)
class _Run:
    test: Analysis

    @property
    def dut(self) -> str:
        return dut_name(self.test.result)

    @property
    def curve(self) -> Curve:
        """All directions together."""
        return self.test.curves[-1]

    @property
    def _held(self) -> bool:
        """Whether the load held is the figure: where the tester was the limit it is its own, and the router's is at
        least the most that came back."""
        return bool(self.curve.held_pps) and not self.curve.tester_limited

    @property
    def rate_pps(self) -> float:
        return (self._held and self.curve.held_pps) or self.curve.max_pps or 0.0

    @property
    def line_percent(self) -> float | None:
        """Of all lines together."""
        outcome = self.curve.outcome
        said = outcome.held if self._held else outcome.maximum
        return said.received_percent / self.curve.lines if said and said.received_percent is not None else None

    @property
    def trust(self) -> Trust:
        if status(self.test) != COMPLETE:
            return BROKEN_OFF
        if self.curve.tester_limited:
            return TESTER_LIMITED
        return ESTIMATE if self.curve.held_pps else LOSSY

    @property
    def worth(self) -> tuple[bool, bool, float, bool]:
        """Complete before broken off, a load held before a maximum, then the higher rate."""
        return (
            self.trust is not BROKEN_OFF,
            bool(self.curve.held_pps),
            self.rate_pps,
            self.trust is not TESTER_LIMITED,
        )


def answers(groups: Sequence[Group]) -> Answers | None:
    """Of the loads that most routers carried the one with the smallest frames, both directions before one; among
    equals that which the routers forwarded least of. None where no test measured anything.
    """
    runs = [
        (number, _Run(test)) for number, group in enumerate(groups) for test in group.tests if test.curves[-1].measured
    ]
    duts = {run.dut for _, run in runs}
    best: tuple[tuple[float, ...], Answers] | None = None
    for number, directions in dict.fromkeys((number, run.curve.lines) for number, run in runs):
        load = groups[number].load
        chosen = _best_runs([run for owner, run in runs if owner == number and run.curve.lines == directions])
        frame_bytes = math.inf if load.frame_bytes is None else round(load.frame_bytes, 0)
        hardness = (len(chosen), -frame_bytes, directions, -sum(run.rate_pps for run in chosen))
        if best is None or hardness > best[0]:
            cards = tuple(_answer(run) for run in chosen)
            best = hardness, Answers(load.name, directions, cards, others=len(duts) - len(cards))
    return best[1] if best else None


def _best_runs(runs: Sequence[_Run]) -> list[_Run]:
    """The run of each router that is worth most."""
    found: dict[str, _Run] = {}
    for run in runs:
        known = found.get(run.dut)
        if known is None or run.worth > known.worth:
            found[run.dut] = run
    return list(found.values())


def _answer(run: _Run) -> Answer:
    return Answer(run.test, run.dut, run.rate_pps, run.line_percent, run.trust)
