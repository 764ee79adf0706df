"""A test over all DUTs: who forwards how much of it, and how sure that is. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.pages.words import count
from wirespeed.results.figures import NOTHING
from wirespeed.site.bars import MOST_BARS, Bars, build_bars, newest_of_duts, rate_bars, watt_bars
from wirespeed.site.builds import compared, since_the_last_step
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure, is_unnamed
from wirespeed.site.figures import chosen, rank, telling, test_order
from wirespeed.site.home import price_of
from wirespeed.site.names import dut_page
from wirespeed.site.parts import (
    SiteCell,
    SiteTable,
    dut_cell,
    number,
    per_price_cell,
    per_watt_cell,
    rate_cell,
    site_table,
    test_name,
    text,
)

MOST_TESTS = 12


@dataclass(frozen=True)
class TestPage:
    """A table a figure: NDR, held and so on; the DUTs that forward most of it first, unnamed ones last. `rates` and
    `watts` are the DUTs side by side, `builds` are the DUTs by version."""

    title: str
    meta: tuple[str, ...]
    rates: Bars | None
    watts: Bars | None
    builds: tuple[Bars, ...]
    tables: tuple[SiteTable, ...]


def test_page(test: tuple[str, str], entries: Sequence[SiteEntry], site: Catalogue) -> TestPage:
    duts = site.duts
    figures = telling(site.of(entries))
    names = sorted({(figure.entry.kind, figure.name) for figure in figures}, key=lambda one: (rank(one[1]), one))
    tables = tuple(
        _table(kind, [one for one in figures if (one.entry.kind, one.name) == (kind, name)], duts)
        for kind, name in names
    )
    newest = newest_of_duts(site, entries)
    builds = (build_bars(site, one, one.entry.dut, dut_page(one.entry.dut)) for one in newest[:MOST_BARS])
    return TestPage(
        test_name(*test),
        (test[0], count(len({entry.dut for entry in entries}), "DUT"), count(len(entries), "result")),
        rate_bars(site, newest, "Rate") if newest else None,
        watt_bars(site, newest, "For each watt"),
        tuple(one for one in builds if one is not None),
        tables,
    )


def _table(kind: str, figures: Sequence[SiteFigure], duts: dict[str, tuple[SiteEntry, ...]]) -> SiteTable:
    by_dut: dict[str, list[SiteFigure]] = {}
    for figure in figures:
        by_dut.setdefault(figure.entry.dut, []).append(figure)
    rated = [(dut, some, one) for dut, some in by_dut.items() if (one := chosen(some)) is not None]
    rated.sort(key=lambda row: (is_unnamed(row[0]), bool(row[2].value.irregular), -row[2].value.rate_pps))
    first = since_the_last_step(rated[0][1])
    most = max(row[2].value.rate_pps for row in rated)
    rows = (
        _row(dut, some, one, first if one is not rated[0][2] else (), most, price_of(duts[dut]))
        for dut, some, one in rated
    )
    return site_table(f"{rated[0][2].name}, measured by {kind}", rows)


def _row(
    dut: str,
    figures: Sequence[SiteFigure],
    best: SiteFigure,
    first: Sequence[SiteFigure],
    most: float,
    price: tuple[str, str],
) -> dict[str, SiteCell]:
    return {
        "DUT": dut_cell(dut),
        "Mpps": rate_cell(best, 100 * best.value.rate_pps / most),
        "against the first": text(compared(first, since_the_last_step(figures)) if first else "the first"),
        "version": text(best.entry.version),
        "values": number(len(figures), str(len(figures))),
        "Mpps/W": per_watt_cell(best),
        "for its price": per_price_cell(best, *price),
        "limited by": text(best.entry.limit),
        "newest": text(max(figure.entry.started for figure in figures)[:10]),
    }


@dataclass(frozen=True)
class DutMatrix:
    """DUTs down, the tests that most of them had across; `counted` says how many have a rate above 0."""

    title: str
    counted: str
    table: SiteTable
    left_out: int


def matrix(site: Catalogue, title: str) -> DutMatrix:
    tests = sorted(site.tests.items(), key=lambda one: (-len({entry.dut for entry in one[1]}), one[0]))
    shown = sorted(tests[:MOST_TESTS], key=lambda one: test_order(one[0]))
    figures: dict[tuple[str, tuple[str, str]], list[SiteFigure]] = {}
    for figure in site.of(site.entries):
        figures.setdefault((figure.entry.dut, figure.entry.test), []).append(figure)
    newest: dict[tuple[str, tuple[str, str]], SiteEntry] = {}
    for entry in site.entries:
        newest.setdefault((entry.dut, entry.test), entry)
    known = {
        dut: [(chosen(figures.get((dut, test), ())), newest.get((dut, test))) for test, _ in shown] for dut in site.duts
    }
    every = (_matrix_row(dut, cells) for dut, cells in known.items())
    rows = tuple(row for row in every if not all(cell.text.startswith(NOTHING) for cell in row[1:]))
    rated = sum(any(figure for figure, _ in cells) for cells in known.values())
    headings = (("DUT", False), *((test_name(*test), True) for test, _ in shown))
    tests_shown = f"{'these' if len(shown) > 1 else 'this'} {count(len(shown), 'test')}"
    counted = f"{rated} of {count(len(site.duts), 'DUT')} have a rate of {tests_shown}"
    return DutMatrix(title, counted, SiteTable("Mpps", headings, rows), len(tests) - len(shown))


def _matrix_row(dut: str, figures: Sequence[tuple[SiteFigure | None, SiteEntry | None]]) -> tuple[SiteCell, ...]:
    """The version is shown with the DUT if it is the same for all figures, otherwise with each figure."""
    versions = {one.entry.version for one, _ in figures if one is not None}
    shared = f"version {one}" if len(versions) == 1 and (one := next(iter(versions))) else ""
    cells = (
        rate_cell(one, note="" if one is None or shared else one.entry.version, entry=entry) for one, entry in figures
    )
    return dut_cell(dut, shared), *cells
