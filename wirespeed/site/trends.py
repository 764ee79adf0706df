"""A figure of one box over time: its plateaus, and the steps between them in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.compare.plateaus import Plateau, plateaus
from wirespeed.results.figures import difference_text
from wirespeed.results.subjects import Subject
from wirespeed.site.entries import SiteFigure

FEWEST = 4
"""Fewer values have no steps that could be told from noise."""
NEWEST = 200


@dataclass(frozen=True)
class TrendStep:
    """From the `at`th value on, which `day` and `version` are of; the value before it is of version `before`. `ratio`
    is the change of the mean, 0.02 for 2 % more."""

    at: int
    ratio: float
    day: str
    version: str
    before: str

    @property
    def short(self) -> str:
        """`▼ -12.00 % against 1.2`, beside the version that it came with."""
        against = f" against {self.before}" if self.before and self.before != self.version else ""
        return f"{'▲' if self.ratio > 0 else '▼'} {difference_text(self.ratio)}{against}"

    @property
    def text(self) -> str:
        """`version 1.3: ▼ -12.00 % against 1.2`."""
        if not self.version:
            return f"since {self.day}: {self.short}"
        if self.before == self.version:
            return f"version {self.version}, since {self.day}: {self.short}"
        return f"version {self.version}: {self.short}"


@dataclass(frozen=True)
class Trend:
    """The oldest figure first; irregular ones are left out, and all but the newest."""

    subject: Subject
    figures: tuple[SiteFigure, ...]
    plateaus: tuple[Plateau, ...]
    steps: tuple[TrendStep, ...]

    @property
    def rates(self) -> tuple[float, ...]:
        return tuple(figure.value.rate_pps for figure in self.figures)


def trends(figures: Iterable[SiteFigure]) -> dict[Subject, Trend]:
    """Trends of one box, by subject."""
    series: dict[Subject, list[SiteFigure]] = {}
    for figure in sorted(figures, key=lambda one: (one.entry.started, one.entry.digest)):
        if not figure.value.irregular:
            series.setdefault(figure.subject, []).append(figure)
    return {subject: _trend(subject, tuple(found[-NEWEST:])) for subject, found in series.items()}


def _trend(subject: Subject, figures: tuple[SiteFigure, ...]) -> Trend:
    rates = [figure.value.rate_pps for figure in figures]
    found = plateaus(rates) if len(figures) >= FEWEST else ()
    steps = tuple(
        _step(figures[before.last], figures[after.first], after.first, after.mean / before.mean - 1)
        for before, after in zip(found, found[1:], strict=False)
    )
    return Trend(subject, figures, found, steps)


def _step(before: SiteFigure, after: SiteFigure, at: int, ratio: float) -> TrendStep:
    return TrendStep(at, ratio, after.entry.started[:10], after.entry.version, before.entry.version)


def since(figure: SiteFigure) -> str:
    entry = figure.entry
    return ", ".join(filter(None, (entry.version, entry.started[:10]))) or entry.title
