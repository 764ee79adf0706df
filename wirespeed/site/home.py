"""The first page: DUTs with their answers, and all results to be searched, sorted and compared. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from wirespeed.pages.loads import directions_title
from wirespeed.pages.words import count
from wirespeed.site.bars import Bars, build_bars, side_by_side
from wirespeed.site.drawing import Spark, spark
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure, is_unnamed
from wirespeed.site.figures import answer, at_least, chosen, size_of, trust
from wirespeed.site.names import dut_page, key, slug, test_page
from wirespeed.site.parts import (
    DutHeadline,
    SiteCell,
    SiteTable,
    answer_of,
    counted,
    dut_cell,
    newest_day,
    number,
    per_price_cell,
    per_watt_cell,
    rate_cell,
    site_table,
    test_name,
    text,
    watts_cell,
)
from wirespeed.site.trends import change, trends

MOST_CARDS = 12
MOST_PANELS = 4
"""Tests in which DUTs stand side by side."""
FIRST_ROWS = 100
"""Rows of results in the page itself; a script has them all."""

ROW_FIELDS = (
    *("key", "title", "kind", "dut", "dut_page", "test", "test_page", "size", "directions", "version"),
    *("limit", "date", "figure", "at_least", "rate", "mark", "why", "per_watt"),
)


@dataclass(frozen=True)
class DutCard:
    name: str
    page: str
    answer: DutHeadline | None
    sentence: str
    spark: Spark | None
    change: str
    is_down: bool
    foot: str


@dataclass(frozen=True)
class Home:
    """`rows` go with ROW_FIELDS. `rates` and `watts` have DUTs side by side, a test each; `builds` has versions of a
    DUT."""

    title: str
    meta: tuple[str, ...]
    rates: tuple[Bars, ...]
    cards: tuple[DutCard, ...]
    more_duts: int
    builds: tuple[Bars, ...]
    watts: tuple[Bars, ...]
    rows: tuple[tuple[str, ...], ...]
    lost: int

    def values(self, field: str) -> list[str]:
        """The values of that field in the rows."""
        place = ROW_FIELDS.index(field)
        return sorted({row[place] for row in self.rows} - {""})


def home(site: Catalogue, title: str) -> Home:
    duts = site.duts
    return Home(
        title=title,
        meta=tuple(_meta(site)),
        rates=side_by_side(site, MOST_PANELS),
        cards=tuple(_card(dut, entries, site) for dut, entries in _rated_first(site)[:MOST_CARDS]),
        more_duts=max(0, len(duts) - MOST_CARDS),
        builds=tuple(_builds(site)),
        watts=side_by_side(site, MOST_PANELS, by_watt=True),
        rows=rows(site),
        lost=sum(bool(entry.fault) for entry in site.entries),
    )


def _meta(site: Catalogue) -> Iterator[str]:
    """What is there, and how much of it: inspections are no results, and a DUT may have none with a rate."""
    yield counted(site.entries)
    rated = sum(any(site.figures.get(entry.digest) for entry in entries) for entries in site.duts.values())
    yield count(len(site.duts), "DUT") + (f", {rated} of them with a rate" if rated < len(site.duts) else "")
    yield count(len(site.tests), "test")
    yield from filter(None, [newest_day(site.entries)])


def _builds(site: Catalogue) -> Iterator[Bars]:
    """By version the answers of the DUTs that have several, of those measured last."""
    answers = (answer(site.of(entries)) for entries in site.duts.values())
    told = (build_bars(site, best, best.entry.dut, dut_page(best.entry.dut)) for best in answers if best is not None)
    return islice((bars for bars in told if bars is not None), MOST_PANELS)


def _rated_first(site: Catalogue) -> list[tuple[str, tuple[SiteEntry, ...]]]:
    """DUTs of which a rate is known, then the others, and last what has no name."""

    def rank(one: tuple[str, tuple[SiteEntry, ...]]) -> tuple[bool, bool]:
        dut, entries = one
        return is_unnamed(dut), not any(site.figures.get(entry.digest) for entry in entries)

    return sorted(site.duts.items(), key=rank)


def rows(found: Catalogue) -> tuple[tuple[str, ...], ...]:
    return tuple(_row(entry, chosen(found.figures.get(entry.digest, ()))) for entry in found.entries)


def _row(entry: SiteEntry, figure: SiteFigure | None) -> tuple[str, ...]:
    """Without a rate, `at_least` has what stands in its place."""
    shown = entry.told.shown if figure is None else ()
    instead, rate, name = ("" if shown[2] else shown[0], "0" if shown[2] else "", shown[3]) if shown else ("", "", "")
    return (
        "" if entry.fault else key(entry.digest),
        entry.title,
        entry.kind,
        entry.dut,
        slug(entry.dut),
        test_name(*entry.test) if entry.is_test else "",
        test_page(*entry.test) if entry.is_test else "",
        size_of(entry.load),
        directions_title(entry.directions),
        entry.version,
        "file missing" if entry.fault else entry.limit,
        entry.started[:10],
        name if figure is None else figure.name,
        instead if figure is None else at_least(figure),
        rate if figure is None else f"{figure.value.rate_pps:.6g}",
        *_mark(entry, figure),
        "" if figure is None or figure.per_watt is None else f"{figure.per_watt:.6g}",
    )


def _mark(entry: SiteEntry, figure: SiteFigure | None) -> tuple[str, str]:
    """Shape and meaning."""
    if figure is not None:
        return (mark := trust(figure)).shape, f"{mark.word}: {mark.why}"
    if not entry.told.shown:
        return "", ""
    *_, shape, word, why = entry.told.shown
    return shape, f"{word}: {why}"


def _card(dut: str, entries: Sequence[SiteEntry], site: Catalogue) -> DutCard:
    figures = site.of(entries)
    best = answer(figures)
    over_time = None if best is None else trends(one for one in figures if one.subject == best.subject)
    newest = best.entry if best is not None else next((entry for entry in entries if entry.is_test), None)
    said = newest.told.sentences if newest is not None else ()
    changed, is_down = change(over_time[best.subject].figures) if over_time and best is not None else ("", False)
    return DutCard(
        name=dut,
        page=dut_page(dut),
        answer=answer_of(best, entries, site),
        sentence=said[0] if said else "",
        spark=spark(over_time[best.subject]) if over_time and best is not None else None,
        change=changed,
        is_down=is_down,
        foot=" · ".join(filter(None, (counted(entries), newest_day(entries)))),
    )


@dataclass(frozen=True)
class Duts:
    title: str
    table: SiteTable
    counted: str = ""


def duts_page(site: Catalogue, title: str) -> Duts:
    rows = (_dut_row(dut, entries, site) for dut, entries in _rated_first(site))
    return Duts(title, site_table(count(len(site.duts), "DUT"), rows))


def _dut_row(dut: str, entries: Sequence[SiteEntry], site: Catalogue) -> dict[str, SiteCell]:
    best = answer(site.of(entries))
    price, date = price_of(entries)
    return {
        "DUT": dut_cell(dut),
        "Mpps": rate_cell(best, entry=next((entry for entry in entries if entry.is_test), None)),
        "of": text("" if best is None else f"{best.name}, {test_name(*best.entry.test)}"),
        "version": text("" if best is None else best.entry.version),
        "Mpps/W": per_watt_cell(best),
        "for its price": per_price_cell(best, price, date),
        "watts": watts_cell(best),
        "limited by": text("" if best is None else best.entry.limit),
        "results": number(tests := sum(entry.is_test for entry in entries), str(tests)),
        "newest": text(max((entry.started for entry in entries if entry.is_test), default="")[:10]),
    }


def price_of(entries: Sequence[SiteEntry]) -> tuple[str, str]:
    """Price and its date, from the newest result whose testbed file has a price."""
    for entry in sorted(entries, key=lambda one: one.started, reverse=True):
        if price := entry.told.description.get("price"):
            return price, entry.told.description.get("date", "")
    return "", ""
