"""How fast each router was, in one figure each: at the hardest load that all of them carried."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.pages.duts import dut_name
from wirespeed.report.loads import Group
from wirespeed.results.ending import COMPLETE
from wirespeed.results.verdict import Verdict


@dataclass(frozen=True)
class Answer:
    """Of one router: the verdict on `test`, the one that says most of it."""

    test: Analysis
    dut: str
    verdict: Verdict


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
    verdict: Verdict

    @property
    def dut(self) -> str:
        return dut_name(self.test.result)

    @property
    def lines(self) -> int:
        return len(self.test.directions)

    @property
    def rate_pps(self) -> float:
        return self.verdict.shown.rate_pps or 0.0

    @property
    def worth(self) -> tuple[bool, bool, float, bool]:
        """Complete before broken off, a load held before one that was not, then the higher rate."""
        held = self.verdict.figure
        return (self.verdict.status == COMPLETE, held.is_measured, self.rate_pps, not held.bound)


def answers(groups: Sequence[Group], verdicts: Mapping[str, Verdict]) -> Answers | None:
    """Of the loads that most routers carried the one with the smallest frames, both directions before one; among
    equals that which the routers forwarded least of. `verdicts` are by the names of tests. None where no test measured
    anything.
    """
    runs = [
        (number, _Run(test, verdicts[test.result.name]))
        for number, group in enumerate(groups)
        for test in group.tests
        if test.curves[-1].measured
    ]
    duts = {run.dut for _, run in runs}
    best: tuple[tuple[float, ...], Answers] | None = None
    for number, directions in dict.fromkeys((number, run.lines) for number, run in runs):
        load = groups[number].load
        chosen = _best_runs([run for owner, run in runs if owner == number and run.lines == directions])
        frame_bytes = math.inf if load.frame_bytes is None else round(load.frame_bytes, 0)
        hardness = (len(chosen), -frame_bytes, directions, -sum(run.rate_pps for run in chosen))
        if best is None or hardness > best[0]:
            cards = tuple(Answer(run.test, run.dut, run.verdict) for run in chosen)
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
