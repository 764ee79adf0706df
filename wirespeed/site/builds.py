"""Change of a figure from build to build, and of one DUT against another, by what `compare` says. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.compare.comparison import ComparisonRow
from wirespeed.compare.text import steps_text, verdict
from wirespeed.results.figures import difference_text
from wirespeed.site.entries import SiteFigure
from wirespeed.site.judging import WITHIN, judged
from wirespeed.site.trends import change, trends


def changed(figures: Sequence[SiteFigure]) -> str:
    """Change of one figure of one test and DUT: against the build before if both ran more than once, else the last
    step of all values. Empty if there is only one build, and too few values for steps."""
    builds = _last_two(figures)
    if builds and min(len(runs) for _, runs in builds) > 1:
        return against_before(figures)
    return change(figures)[0] or against_before(figures)


def against_before(figures: Sequence[SiteFigure]) -> str:
    """Difference to the build before, for one figure of one test and DUT; empty if there is only one build."""
    builds = _last_two(figures)
    if not builds:
        return ""
    (_, after), (name, before) = builds
    row = judged(before, after)
    said, steps = _words(row), steps_text(row)
    if said.startswith(("better", "worse")):
        return f"{said} than {name}{steps}"
    return f"{said} as {name}{steps}" if said.startswith("same") else f"against {name}: {said}{steps}"


def _last_two(figures: Sequence[SiteFigure]) -> list[tuple[str, list[SiteFigure]]]:
    """The newest build and the one before it, by name; none if there are not two."""
    builds: dict[str, list[SiteFigure]] = {}
    for figure in sorted(figures, key=lambda one: one.entry.started, reverse=True):
        if figure.entry.version:
            builds.setdefault(figure.entry.version, []).append(figure)
    return list(builds.items())[:2] if len(builds) > 1 else []


def since_the_last_step(figures: Sequence[SiteFigure]) -> list[SiteFigure]:
    """Figures since the last step, up to the newest."""
    (trend,) = trends(figures).values() or (None,)
    if trend is None or not trend.plateaus:
        return list(figures)
    return list(trend.figures[trend.plateaus[-1].first :])


def compared(a: Sequence[SiteFigure], b: Sequence[SiteFigure]) -> str:
    """The change from A to B in words: `better (+3.1 %)`."""
    row = judged(a, b)
    return f"{_words(row)}{steps_text(row)}"


def _words(row: ComparisonRow) -> str:
    judged = row.judgement
    words = verdict(row, WITHIN)
    if judged.word in ("better", "worse") and judged.difference is not None:
        return f"{words} ({difference_text(judged.difference)})"
    if judged.a_count == judged.b_count == 1 and judged.difference is not None:
        return f"{difference_text(judged.difference)}, {words}"
    return words
