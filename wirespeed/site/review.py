"""The table that a review ends with: loads down, directions across, in each cell the figure of the test. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.pages.loads import directions_title, load_title
from wirespeed.pages.trust import STEPS_OF_BOTH
from wirespeed.results.verdict import BOUNDS
from wirespeed.site.entries import SiteFigure
from wirespeed.site.figures import chosen, load_order
from wirespeed.site.parts import SiteCell, SiteTable, rate_cell, text


@dataclass(frozen=True)
class Review:
    """`of` says what is the same in all cells: the name of the figures and the version. `steps_of_both` says why
    estimates of one direction and of both do not add up, where both are there."""

    of: tuple[str, ...]
    table: SiteTable
    steps_of_both: str = ""


def review(figures: Sequence[SiteFigure]) -> Review | None:
    """The newest figures of one DUT; below each stand its share of the line rate and what limited it, and its name and
    version where other cells have other ones. None for a single test, which needs no table."""
    by_test: dict[tuple[str, str], list[SiteFigure]] = {}
    for figure in figures:
        by_test.setdefault(figure.entry.test, []).append(figure)
    best = {test: one for test, some in by_test.items() if (one := chosen(some)) is not None}
    if len(best) < 2:
        return None
    names, versions = {one.name for one in best.values()}, {one.entry.version for one in best.values()}

    def cell(figure: SiteFigure | None) -> SiteCell:
        if figure is None:
            return rate_cell(None)
        share = "" if figure.value.line_percent is None else figure.told.share_text
        name = figure.name if len(names) > 1 else ""
        version = figure.entry.version if len(versions) > 1 else ""
        limit = figure.entry.limit and f"limited by {figure.entry.limit}"
        limit = BOUNDS["nothing"] if figure.entry.limited_by == "nothing" else limit
        note = ", ".join(filter(None, (name, share, limit, version and f"version {version}")))
        return rate_cell(figure, figure.value.line_percent, note)

    ways = sorted({way for _, way in best}, key=lambda way: (way.count("→"), way))
    headings = (("load", False), *((f"{directions_title(way) or 'all directions'}, Mpps", True) for way in ways))
    rows = tuple(
        (text(load_title(load) or "load unknown"), *(cell(best.get((load, way))) for way in ways))
        for load in sorted({load for load, _ in best}, key=load_order)
    )
    (version, *more_versions), (name, *more_names) = sorted(versions), sorted(names)
    of = ("" if more_names else name, f"version {version}" if version and not more_versions else "")
    estimates = {"," in way for (_, way), one in best.items() if one.value.mark == "estimate"}
    table = SiteTable("By load", headings, rows)
    return Review(tuple(filter(None, of)), table, STEPS_OF_BOTH if len(estimates) > 1 else "")
