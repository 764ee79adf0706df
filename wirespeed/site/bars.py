"""Figures side by side as bars: boxes of a test by rate and by rate per watt, builds of a box. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.results.subjects import Subject
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure, is_unnamed
from wirespeed.site.figures import chosen, hardness, mega, per_watt, size_of, telling, trust
from wirespeed.site.names import box_page, test_page
from wirespeed.site.parts import test_name
from wirespeed.site.trends import FEWEST, TrendStep, trends

MOST_BARS = 8
MOST_BUILDS = 6


@dataclass(frozen=True)
class VersionBar:
    """`change` says how the figure changed with the version, `is_down` whether for the worse."""

    name: str
    page: str
    text: str
    filled_percent: str
    colour: str
    why: str
    change: str = ""
    is_down: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars of one scale, which begins at 0; `of` says what the figures are, with their unit. `more` bars are left
    out."""

    title: str
    page: str
    of: str
    bars: tuple[VersionBar, ...]
    more: int = 0


def side_by_side(found: Catalogue, most: int, by_watt: bool = False) -> tuple[Bars, ...]:
    """Bars of at most `most` tests that several boxes had: the newest figure of each box, or its rate per watt if the
    boxes had a meter. Tests that most boxes had come first, the hardest ones before others, and one of each frame size
    before a second one."""
    newest = {test: newest_of_boxes(found, entries) for test, entries in found.tests.items()}
    ranked = sorted(
        (test for test in newest if len(newest[test]) > 1),
        key=lambda test: (-len(newest[test]), [-part for part in hardness(newest[test][0])], test),
    )
    sizes: Counter[str] = Counter()
    nth_of_size = {}
    for test in ranked:
        nth_of_size[test] = sizes[size_of(test[0])]
        sizes[size_of(test[0])] += 1
    shown = sorted(ranked, key=nth_of_size.__getitem__)[:most]
    draw = watt_bars if by_watt else rate_bars
    drawn = (draw(found, newest[test], test_name(*test), test_page(*test)) for test in shown)
    return tuple(bars for bars in drawn if bars is not None)


def newest_of_boxes(found: Catalogue, entries: Iterable[SiteEntry]) -> list[SiteFigure]:
    """One figure a box of the entries of one test: the one that says most, by rate; irregular ones and unnamed boxes
    last."""
    by_box: dict[str, list[SiteFigure]] = {}
    for figure in telling(found.of(entries)):
        by_box.setdefault(figure.entry.box, []).append(figure)
    newest = [one for some in by_box.values() if (one := chosen(some)) is not None]
    return sorted(newest, key=lambda one: (is_unnamed(one.entry.box), bool(one.value.irregular), -one.value.rate_pps))


def rate_bars(found: Catalogue, newest: Sequence[SiteFigure], title: str, page: str = "") -> Bars:
    """One bar a figure, each of another box."""
    most = max(one.value.rate_pps for one in newest)
    names = {one.name for one in newest}
    bars = []
    for one in newest[:MOST_BARS]:
        said, is_down = change(_series(found, one))
        mark = trust(one)
        rate = f"{mega(one)} {mark.shape}" if len(names) == 1 else f"{one.name} {mega(one)} {mark.shape}"
        filled = f"{100 * one.value.rate_pps / most:.1f}"
        box = one.entry.box
        bars.append(
            VersionBar(box, box_page(box), rate, filled, found.colours[box], f"{mark.word}: {mark.why}", said, is_down)
        )
    of = f"{names.pop()}, Mpps" if len(names) == 1 else "Mpps"
    return Bars(title, page, of, tuple(bars), max(0, len(newest) - MOST_BARS))


def watt_bars(found: Catalogue, newest: Sequence[SiteFigure], title: str, page: str = "") -> Bars | None:
    """The same by packets for each watt of the whole box; None where fewer than two boxes had a meter."""
    metered = sorted((one for one in newest if one.per_watt), key=lambda one: -(one.per_watt or 0.0))
    if len(metered) < 2:
        return None
    most = metered[0].per_watt or 1.0
    bars = tuple(
        VersionBar(
            one.entry.box,
            box_page(one.entry.box),
            per_watt(one),
            f"{100 * (one.per_watt or 0.0) / most:.1f}",
            found.colours[one.entry.box],
            f"{one.entry.watts or 0.0:.1f} W",
        )
        for one in metered[:MOST_BARS]
    )
    return Bars(title, page, "Mpps/W of the whole box", bars, max(0, len(metered) - MOST_BARS))


def build_bars(found: Catalogue, one: SiteFigure, title: str, page: str = "") -> Bars | None:
    """What `one` measures, by the versions of its box, the oldest first; None where there is one version only."""
    series = _series(found, one)
    by_version: dict[str, list[SiteFigure]] = {}
    for figure in sorted(series, key=lambda figure: figure.entry.started):
        if figure.entry.version:
            by_version.setdefault(figure.entry.version, []).append(figure)
    if len(by_version) < 2:
        return None
    newest = [last for some in by_version.values() if (last := chosen(some)) is not None][-MOST_BUILDS:]
    most = max(figure.value.rate_pps for figure in newest)
    colour = found.colours[one.entry.box]
    marks = {figure.entry.version: (step.short, step.ratio < 0) for figure, step in steps(series)}
    bars = tuple(
        VersionBar(
            figure.entry.version,
            figure.entry.page,
            f"{mega(figure)} {trust(figure).shape}",
            f"{100 * figure.value.rate_pps / most:.1f}",
            colour,
            f"{trust(figure).word}: {trust(figure).why}",
            *marks.get(figure.entry.version, ("", False)),
        )
        for figure in newest
    )
    return Bars(title, page, f"{one.name}, Mpps", bars, len(by_version) - len(newest))


def steps(series: Sequence[SiteFigure]) -> list[tuple[SiteFigure, TrendStep]]:
    """The figures of one subject from which on the mean is another one."""
    return [(trend.figures[step.at], step) for trend in trends(series).values() for step in trend.steps]


def change(series: Sequence[SiteFigure]) -> tuple[str, bool]:
    """The last step of a figure over time, such as `version 1.3: ▼ -20.0 % against 1.2`, and True if it went down.
    Without a step the text says that the figure is steady; it is empty for fewer than FEWEST results."""
    found = steps(series)
    if found:
        _, step = found[-1]
        return step.text, step.ratio < 0
    values = sum(not figure.value.irregular for figure in series)
    return (f"steady over {values} results" if values >= FEWEST else ""), False


def _series(found: Catalogue, one: SiteFigure) -> list[SiteFigure]:
    subject: Subject = one.subject
    return [figure for figure in found.of(found.boxes[one.entry.box]) if figure.subject == subject]
