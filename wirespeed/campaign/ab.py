"""Two builds against each other: the cells of a campaign with two devices as pairs, run until each verdict is clear."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from wirespeed.campaign.cells import CampaignCell
from wirespeed.compare.sequential import AbVerdict, judge
from wirespeed.errors import MeasurementError, UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.results.figures import rate_text
from wirespeed.results.verdict import FULL_LOAD, Verdict
from wirespeed.tables import Grid

Group = tuple[str, str, str]
"""Bench, test and direction, within which the two are compared."""


@dataclass(frozen=True)
class PairComparison:
    """Comparison of the two devices by one test; medians of the figure `name` in packets per second, None without a
    pair."""

    group: Group
    name: str
    a_pps: float | None
    b_pps: float | None
    verdict: AbVerdict

    @property
    def title(self) -> str:
        bench, test, direction = self.group
        return f"{test} {direction} on {bench}{self.name}"


def names_of(cells: tuple[CampaignCell, ...]) -> tuple[str, str]:
    """The two builds; the first one in the file is the reference. UsageError for any other number of builds, or for
    manual steps."""
    names = list(dict.fromkeys(cell.setup.name for cell in cells))
    if len(names) != 2:
        raise UsageError(f"--ab compares two DUTs, and the campaign has {len(names)}: {', '.join(names[:5])}")
    if any(cell.setup.by_hand for cell in cells):
        raise UsageError("--ab alternates between the two DUTs, so neither can need a manual step; leave out `by_hand`")
    return names[0], names[1]


def in_pairs(cells: tuple[CampaignCell, ...]) -> tuple[CampaignCell, ...]:
    """A B, B A, A B …: neither is always first, and a pair is run in one go."""
    names = names_of(cells)

    def second(cell: CampaignCell) -> bool:
        return (cell.setup.name == names[1]) ^ (cell.repeat % 2 == 0)

    order = {group: number for number, group in enumerate(dict.fromkeys(map(group_of, cells)))}
    return tuple(sorted(cells, key=lambda cell: (cell.repeat, order[group_of(cell)], second(cell))))


def group_of(cell: CampaignCell) -> Group:
    return (cell.bench, cell.test, cell.direction)


def verdict(file: Path) -> Verdict:
    """The verdict on a result. MeasurementError for a result of a kind whose first figure is not one load."""
    result = read_file(file)
    if not result.is_of_one_load:
        raise MeasurementError(f"{file}: --ab compares load tests and searches only; leave out the others")
    return verdict_of(result)


def figures(verdicts: Collection[Verdict]) -> tuple[str, list[float | None]]:
    """The compared figure of each verdict, in packets per second (None if it was not measured), and its name.

    It is the verdict's first figure. If one of the builds forwarded no load, it is the rate of each at full load."""
    full = [one.full_load for one in verdicts]
    if any(one.figure.mark == "lossy" for one in verdicts) and None not in full:
        return f" {FULL_LOAD}", [one.rate_pps for one in full if one is not None]
    return "", [one.figure.rate_pps for one in verdicts]


def comparisons(cells: tuple[CampaignCell, ...], result: Callable[[CampaignCell], Path]) -> Iterator[PairComparison]:
    """Comparisons of the existing results, one per group. A pair counts if both of its tests were measured."""
    names = names_of(cells)
    for group in dict.fromkeys(map(group_of, cells)):
        mine = [cell for cell in cells if group_of(cell) == group and result(cell).exists()]
        name, rates = figures([verdict(result(cell)) for cell in mine])
        rate_by_cell = dict(zip([(cell.setup.name, cell.repeat) for cell in mine], rates, strict=True))
        pairs = [
            (first, second)
            for repeat in sorted({repeat for _, repeat in rate_by_cell})
            if (first := rate_by_cell.get((names[0], repeat))) is not None
            and (second := rate_by_cell.get((names[1], repeat))) is not None
        ]
        a, b = [one for one, _ in pairs], [two for _, two in pairs]
        yield PairComparison(group, name, _median(a), _median(b), judge(a, b))


def markdown(names: tuple[str, str], pairs: list[PairComparison]) -> str:
    """A table for the comment of a change."""
    rows = ((one.title, rate_text(one.a_pps), rate_text(one.b_pps), one.verdict.text) for one in pairs)
    return Grid("comparison", ("test", *names, "verdict"), tuple(rows), remarks=1).markdown


def _median(values: list[float]) -> float | None:
    return median(values) if values else None
