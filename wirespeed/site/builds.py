"""Whether a box's newest build is better than the one before it, by what `compare` says. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.compare.comparison import ComparisonRow, compare
from wirespeed.compare.text import verdict
from wirespeed.results.figures import difference_text
from wirespeed.site.entries import SiteFigure
from wirespeed.site.trends import trends

WITHIN, CONFIDENCE = 0.01, 0.95


def against_before(figures: Sequence[SiteFigure]) -> str:
    """Difference to the build before, for one figure of one test and box; empty if there is only one build."""
    builds: dict[str, list[SiteFigure]] = {}
    for figure in sorted(figures, key=lambda one: one.entry.started, reverse=True):
        builds.setdefault(figure.entry.version, []).append(figure)
    builds.pop("", None)
    if len(builds) < 2:
        return ""
    (_, after), (name, before) = list(builds.items())[:2]
    said = compared(before, after)
    if said.startswith(("better", "worse")):
        return f"{said} than {name}"
    return f"{said} as {name}" if said.startswith("same") else f"against {name}: {said}"


def since_the_last_step(figures: Sequence[SiteFigure]) -> list[SiteFigure]:
    """Figures since the last step, up to the newest."""
    (trend,) = trends(figures).values() or (None,)
    if trend is None or not trend.plateaus:
        return list(figures)
    return list(trend.figures[trend.plateaus[-1].first :])


def compared(a: Sequence[SiteFigure], b: Sequence[SiteFigure]) -> str:
    """What B is against A, in words: `better +3.1 %`."""
    subject = a[0].subject
    (row,) = compare({subject: [one.value for one in a]}, {subject: [one.value for one in b]}, WITHIN, CONFIDENCE).rows
    return _words(row)


def _words(row: ComparisonRow) -> str:
    judged = row.judgement
    told = verdict(row, WITHIN)
    if judged.word in ("better", "worse") and judged.difference is not None:
        return f"{told} ({difference_text(judged.difference)})"
    if judged.a_count == judged.b_count == 1 and judged.difference is not None:
        return f"{difference_text(judged.difference)}, {told}"
    return told
