"""A figure of one DUT over time: its plateaus, and the steps between them in words. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.compare.judgement import Word
from wirespeed.compare.plateaus import Plateau, plateaus
from wirespeed.compare.text import steps_text
from wirespeed.results.figures import three_digits
from wirespeed.results.subjects import Subject
from wirespeed.site.entries import SiteFigure
from wirespeed.site.judging import WITHIN, judged

FEWEST = 4
"""Fewer values have no steps that could be told from noise."""
NEWEST = 200


@dataclass(frozen=True)
class TrendStep:
    """From the `at`th value on, which `day` and `version` are of; the value before it is of version `before`. `ratio`
    is the change of the mean, 0.02 for 2 % more, `word` what a comparison of the values says of it, and `steps` within
    what range it is known."""

    at: int
    ratio: float
    day: str
    version: str
    before: str
    word: Word
    steps: str = ""

    @property
    def is_worse(self) -> bool:
        return self.word == "worse"

    @property
    def arrow(self) -> str:
        """`▼ 12.0 %`, which no line breaks."""
        return f"{'▲' if self.ratio > 0 else '▼'} {three_digits(100 * abs(self.ratio))} %".replace(" ", "\u00a0")

    @property
    def short(self) -> str:
        """`▼ 12.0 %, worse than 1.2`, next to the version that caused it."""
        other = "" if self.before == self.version else self.before
        if self.word == "cannot tell":
            return f"{self.arrow}{f' against {other}' if other else ''}, cannot be judged{self.steps}"
        if self.word == "same":
            return f"{self.arrow}, same{f' as {other}' if other else ''} within {100 * WITHIN:g} %{self.steps}"
        return f"{self.arrow}, {self.word}{f' than {other}' if other else ''}{self.steps}"

    @property
    def text(self) -> str:
        """`since version 1.3: ▼ 12.0 %, worse than 1.2`."""
        if not self.version:
            return f"since {self.day}: {self.short}"
        if self.before == self.version:
            return f"version {self.version}, since {self.day}: {self.short}"
        return f"since version {self.version}: {self.short}"


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
    """Trends of one DUT, by subject."""
    series: dict[Subject, list[SiteFigure]] = {}
    for figure in sorted(figures, key=lambda one: (one.entry.started, one.entry.digest)):
        if not figure.value.irregular:
            series.setdefault(figure.subject, []).append(figure)
    return {subject: _trend(subject, tuple(found[-NEWEST:])) for subject, found in series.items()}


def _trend(subject: Subject, figures: tuple[SiteFigure, ...]) -> Trend:
    rates = [figure.value.rate_pps for figure in figures]
    found = plateaus(rates) if len(figures) >= FEWEST else ()
    steps = tuple(_step(figures, before, after) for before, after in zip(found, found[1:], strict=False))
    return Trend(subject, figures, found, steps)


def _step(figures: Sequence[SiteFigure], before: Plateau, after: Plateau) -> TrendStep:
    first, last = figures[after.first].entry, figures[before.last].entry
    row = judged(figures[before.first : before.last + 1], figures[after.first : after.last + 1])
    ratio, word = after.mean / before.mean - 1, row.judgement.word
    return TrendStep(after.first, ratio, first.started[:10], first.version, last.version, word, steps_text(row))


def steps(series: Sequence[SiteFigure]) -> list[tuple[SiteFigure, TrendStep]]:
    """The figures of one subject from which on the mean is another one."""
    return [(trend.figures[step.at], step) for trend in trends(series).values() for step in trend.steps]


def change(series: Sequence[SiteFigure]) -> tuple[str, bool]:
    """The last step of a figure over time, such as `since version 1.3: ▼ 20.0 %, worse than 1.2`, and True if it is
    judged to be worse. Without a step the text says that the figure is steady; it is empty for fewer than FEWEST
    results."""
    found = steps(series)
    if found:
        _, step = found[-1]
        return step.text, step.is_worse
    values = sum(not figure.value.irregular for figure in series)
    return (f"steady over {values} results" if values >= FEWEST else ""), False


def since(figure: SiteFigure) -> str:
    entry = figure.entry
    return ", ".join(filter(None, (entry.version, entry.started[:10]))) or entry.title
