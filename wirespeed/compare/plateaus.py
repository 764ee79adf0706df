"""A series in time as plateaus, by CSIT's jumpavg, and the steps between them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jumpavg import classify


@dataclass(frozen=True)
class Plateau:
    """Values `first` to `last` of a series, which belong together."""

    first: int
    last: int
    mean: float
    spread: float


def plateaus(values: Sequence[float]) -> tuple[Plateau, ...]:
    """The groups that take the fewest bits to tell; values above 0."""
    spans, first = [], 0
    for group in classify(list(values)):
        last = first + group.stats.size - 1
        spans.append(Plateau(first, last, float(group.stats.avg), float(group.stats.stdev)))
        first = last + 1
    return tuple(spans)
