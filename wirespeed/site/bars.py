"""Figures side by side as bars: DUTs of a test by rate and by rate per watt, builds of a DUT. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from wirespeed.pages.words import count
from wirespeed.results.subjects import Subject
from wirespeed.results.verdict import FULL_LOAD
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure, is_unnamed
from wirespeed.site.figures import chosen, hardness, mega, of_mega, per_watt, size_of, telling, trust
from wirespeed.site.names import dut_page, test_page
from wirespeed.site.parts import test_name
from wirespeed.site.trends import change, steps

MOST_BARS = 8
MOST_BUILDS = 6


@dataclass(frozen=True)
class VersionBar:
    """`version` is that of the DUT when it was measured, unless all bars or its name have it; `change` says how the
    figure changed with the version, `is_down` whether it is judged to be worse."""

    name: str
    page: str
    text: str
    filled_percent: str
    colour: str
    why: str
    version: str = ""
    change: str = ""
    is_down: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars of one scale, which begins at 0; `of` says what the figures are, with their unit, what all of them have in
    common and what a full bar is. `more` says what is left out, such as `2 more DUTs`."""

    title: str
    page: str
    of: str
    bars: tuple[VersionBar, ...]
    more: str = ""


def side_by_side(site: Catalogue, most: int, by_watt: bool = False) -> tuple[Bars, ...]:
    """Bars of at most `most` tests that several DUTs had: the newest figure of each DUT, or its rate per watt if the
    DUTs had a meter. Tests that most DUTs had come first, the hardest ones before others, and one of each frame size
    before a second one."""
    newest = {test: newest_of_duts(site, entries) for test, entries in site.tests.items()}
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
    of_all = len(site.duts)
    drawn = (draw(site, newest[test], test_name(*test), test_page(*test), of_all) for test in shown)
    return tuple(bars for bars in drawn if bars is not None)


def newest_of_duts(site: Catalogue, entries: Iterable[SiteEntry]) -> list[SiteFigure]:
    """One figure per DUT from the entries of one test: the most informative one. Sorted by rate, equal rates by that at
    full load; irregular figures and unnamed DUTs last."""
    by_dut: dict[str, list[SiteFigure]] = {}
    for figure in telling(site.of(entries)):
        by_dut.setdefault(figure.entry.dut, []).append(figure)
    newest = [one for some in by_dut.values() if (one := chosen(some)) is not None]

    def place(one: SiteFigure) -> tuple[bool, bool, float, float]:
        full = [other.value.rate_pps for other in site.figures[one.entry.digest] if other.name == FULL_LOAD]
        return is_unnamed(one.entry.dut), bool(one.value.irregular), -one.value.rate_pps, -max(full, default=0.0)

    return sorted(newest, key=place)


def rate_bars(site: Catalogue, newest: Sequence[SiteFigure], title: str, page: str = "", of_all: int = 0) -> Bars:
    """One bar per figure, each of another DUT; `of_all` is the number of all DUTs."""
    most = max(one.value.rate_pps for one in newest)
    shared = _shared_version(newest)
    names = {one.name for one in newest}
    bars = []
    for one in newest[:MOST_BARS]:
        said, is_down = change(_series(site, one))
        rate = mega(one) if len(names) == 1 else f"{one.name} {mega(one)}"
        bars.append(_dut_bar(site, one, rate, one.value.rate_pps / most, shared, said, is_down))
    of = f"{names.pop()}, Mpps" if len(names) == 1 else "Mpps"
    return Bars(
        title,
        page,
        _scaled(of, most, shared, _share(len(newest), of_all)),
        tuple(bars),
        _more(len(newest) - MOST_BARS, "DUT"),
    )


def watt_bars(
    site: Catalogue, newest: Sequence[SiteFigure], title: str, page: str = "", of_all: int = 0
) -> Bars | None:
    """Bars by packets for each watt of the whole DUT; None where fewer than two DUTs had a meter."""
    metered = [(one, one.per_watt) for one in newest if one.per_watt]
    if len(metered) < 2:
        return None
    metered.sort(key=lambda one: (is_unnamed(one[0].entry.dut), bool(one[0].value.irregular), -one[1]))
    most = max(each for _, each in metered)
    shared = _shared_version([one for one, _ in metered])
    bars = tuple(_dut_bar(site, one, per_watt(one), each / most, shared) for one, each in metered[:MOST_BARS])
    of = _scaled("Mpps/W of the whole DUT", most, shared, _share(len(metered), of_all))
    return Bars(title, page, of, bars, _more(len(metered) - MOST_BARS, "DUT"))


def _dut_bar(
    site: Catalogue,
    figure: SiteFigure,
    said: str,
    share: float,
    shared: str,
    changed: str = "",
    is_down: bool = False,
) -> VersionBar:
    """The bar of a DUT, named by it, with the trust mark of its figure; `shared` is the version that all bars have."""
    dut, mark = figure.entry.dut, trust(figure)
    why = f"{mark.word}: {mark.why}"
    text, filled, colour = f"{said} {mark.shape}", f"{100 * share:.1f}", site.colours[dut]
    version = "" if shared else figure.entry.version
    return VersionBar(dut, dut_page(dut), text, filled, colour, why, version, changed, is_down)


def _shared_version(figures: Iterable[SiteFigure]) -> str:
    """The version that all figures are of; empty if there are several."""
    versions = {one.entry.version for one in figures}
    return versions.pop() if len(versions) == 1 else ""


def _scaled(of: str, most: float, version: str = "", share: str = "") -> str:
    return "; ".join(filter(None, (of, version and f"version {version}", share, f"a full bar is {of_mega(most)}")))


def _share(number: int, of_all: int) -> str:
    return f"{number} of {of_all} DUTs" if number < of_all else ""


def _more(number: int, noun: str) -> str:
    return count(number, f"more {noun}") if number > 0 else ""


def build_bars(site: Catalogue, newest_figure: SiteFigure, title: str, page: str = "") -> Bars | None:
    """The figure by version of its DUT, the oldest first; None for a single version."""
    series = _series(site, newest_figure)
    by_version: dict[str, list[SiteFigure]] = {}
    for figure in sorted(series, key=lambda figure: figure.entry.started):
        if figure.entry.version:
            by_version.setdefault(figure.entry.version, []).append(figure)
    if len(by_version) < 2:
        return None
    newest = [last for some in by_version.values() if (last := chosen(some)) is not None][-MOST_BUILDS:]
    most = max(figure.value.rate_pps for figure in newest)
    colour = site.colours[newest_figure.entry.dut]
    marks = {figure.entry.version: (step.short, step.is_worse) for figure, step in steps(series)}
    bars = tuple(
        VersionBar(
            figure.entry.version,
            figure.entry.page,
            f"{mega(figure)} {trust(figure).shape}",
            f"{100 * figure.value.rate_pps / most:.1f}",
            colour,
            f"{trust(figure).word}: {trust(figure).why}",
            "",
            *marks.get(figure.entry.version, ("", False)),
        )
        for figure in newest
    )
    return Bars(
        title, page, _scaled(f"{newest_figure.name}, Mpps", most), bars, _more(len(by_version) - len(newest), "version")
    )


def _series(found: Catalogue, one: SiteFigure) -> list[SiteFigure]:
    subject: Subject = one.subject
    return [figure for figure in found.of(found.duts[one.entry.dut]) if figure.subject == subject]
