"""Small values that pages of the site are made of. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.pages.loads import directions_title, load_title
from wirespeed.pages.words import count
from wirespeed.results.figures import MEGA, NOTHING
from wirespeed.results.power import NEAR
from wirespeed.results.verdict import FULL_LOAD
from wirespeed.site.drawing import Spark
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure
from wirespeed.site.figures import at_least, mega, per_watt, trust
from wirespeed.site.names import dut_page, test_page
from wirespeed.site.worth import parse_price, per_price_text


@dataclass(frozen=True)
class SiteCell:
    """`page` is where it leads to, empty for nowhere; `key` is what a column is sorted by, empty where nothing is
    known; `note` stands below the text in small letters; `why` is its tooltip; `spark` stands in place of the text."""

    text: str
    page: str = ""
    key: str = ""
    is_figure: bool = False
    why: str = ""
    note: str = ""
    filled_percent: str = ""
    spark: Spark | None = None


@dataclass(frozen=True)
class SiteTable:
    """`headings` are (text, whether figures stand below)."""

    label: str
    headings: tuple[tuple[str, bool], ...]
    rows: tuple[tuple[SiteCell, ...], ...]

    @property
    def known(self) -> SiteTable:
        """The table without columns in which nothing is known."""
        if not self.rows:
            return self
        kept = [column for column in range(len(self.headings)) if any(row[column].text != NOTHING for row in self.rows)]
        rows = tuple(tuple(row[column] for column in kept) for row in self.rows)
        return SiteTable(self.label, tuple(self.headings[column] for column in kept), rows)

    def has(self, heading: str) -> bool:
        """True if a value is known in that column."""
        return any(text == heading for text, _ in self.known.headings)


def site_table(label: str, rows: Iterable[Mapping[str, SiteCell]]) -> SiteTable:
    """A table of rows that name their cells; columns are in the order of the first row."""
    named = list(rows)
    headings = tuple((name, any(row[name].is_figure for row in named)) for name in (named[0] if named else ()))
    return SiteTable(label, headings, tuple(tuple(row[name] for name, _ in headings) for row in named))


@dataclass(frozen=True)
class DutHeadline:
    """The headline figure of a DUT, in large type: that of `test`. `edition` is the version of the DUT and the day;
    `more` is what it forwarded at full load, if that is another figure, `detail` the range of an estimate."""

    rate: str
    unit: str
    test: str
    of: str
    more: str
    edition: str
    page: str
    shape: str
    word: str
    why: str
    detail: str


def text(said: str, page: str = "", why: str = "") -> SiteCell:
    return SiteCell(said or NOTHING, page, said, why=why)


def number(value: float | None, said: str, why: str = "") -> SiteCell:
    if value is None:
        return SiteCell(NOTHING, is_figure=True, why=why or "not measured")
    return SiteCell(said, key=f"{value:.9g}", is_figure=True, why=why)


def _marked(figure: SiteFigure, value: float, said: str, why: str = "") -> SiteCell:
    """A value that follows from the figure, with the figure's trust mark."""
    mark = trust(figure)
    told = ". ".join(filter(None, (why, f"{mark.word}: {mark.why}")))
    return SiteCell(f"{said} {mark.shape}", "", f"{value:.9g}", is_figure=True, why=told)


def rate_cell(
    figure: SiteFigure | None, filled: float | None = None, note: str = "", entry: SiteEntry | None = None
) -> SiteCell:
    """In Mpps, with its trust mark, and a bar over `filled` percent of the cell. Without a rate above 0 the mark of the
    `entry`."""
    if figure is None and entry is not None and entry.told.shown:
        cell, rate, unit, name, shape, word, _ = entry.told.shown
        why = f"{name} {f'{rate} {unit}'.strip()}, {word}"
        return SiteCell(f"{cell} {shape}", entry.page, key="0" if unit else "", is_figure=True, why=why)
    if figure is None:
        return SiteCell(NOTHING, is_figure=True, why="not measured")
    pps = figure.value.rate_pps
    percent = "" if filled is None else f"{filled:.1f}"
    return replace(_marked(figure, pps, mega(figure)), page=figure.entry.page, note=note, filled_percent=percent)


def per_watt_cell(figure: SiteFigure | None) -> SiteCell:
    if figure is None or figure.per_watt is None:
        return number(None, "", why=_no_watts(figure))
    return _marked(figure, figure.per_watt, per_watt(figure), f"{figure.watts:.1f} W at about this rate")


def watts_cell(figure: SiteFigure | None) -> SiteCell:
    watts = None if figure is None else figure.watts
    return number(watts, f"{watts or 0:.1f}", why="" if watts else _no_watts(figure))


def _no_watts(figure: SiteFigure | None) -> str:
    metered = figure is not None and figure.entry.watts is not None
    return f"no reading within {100 * NEAR:g} % of this rate" if metered else "no power meter (--power)"


def per_price_cell(figure: SiteFigure | None, price: str, date: str) -> SiteCell:
    known = parse_price(price)
    if figure is None or known is None:
        return number(None, "", why="no price in the testbed file (description: price)")
    pps = figure.value.rate_pps
    said = f"{at_least(figure)}{per_price_text(pps, known)}"
    return _marked(figure, pps / known.amount, said, f"{price}{f', {date}' if date else ''}")


def share_cell(figure: SiteFigure) -> SiteCell:
    """Share of the line rate of all directions together."""
    share = figure.value.line_percent
    return number(share, figure.told.share_text if share is not None else "", why="" if share else "line rate unknown")


def spark_cell(spark: Spark | None) -> SiteCell:
    return SiteCell(NOTHING) if spark is None else SiteCell("", key=str(len(spark.dots)), spark=spark)


def dut_cell(dut: str, note: str = "") -> SiteCell:
    return replace(text(dut, dut_page(dut)), note=note)


def test_cell(entry: SiteEntry) -> SiteCell:
    return text(test_name(entry.load, entry.directions), test_page(*entry.test))


def test_name(load: str, directions: str) -> str:
    return f"{load_title(load) or 'load unknown'}, {directions_title(directions) or 'all directions'}"


def answer_of(figure: SiteFigure | None, entries: Sequence[SiteEntry], site: Catalogue) -> DutHeadline | None:
    """The headline of a DUT; that of its newest result where none of them has a rate."""
    if figure is None:
        newest = next((entry for entry in entries if entry.told.shown), None)
        return None if newest is None else _without_rate(newest)
    rate, unit = figure.told.parts(MEGA)
    mark, entry = trust(figure), figure.entry
    share = "" if figure.value.line_percent is None else f", {figure.told.share_text}"
    full = (one for one in site.figures[entry.digest] if one.name == FULL_LOAD and one.told.text != figure.told.text)
    more = "; ".join(one.told.line_in(MEGA) for one in full)
    test, of = test_name(*entry.test), f"{figure.name}{share}"
    detail = f"{mark.detail[:1].upper()}{mark.detail[1:]}." if mark.detail else ""
    return DutHeadline(rate, unit, test, of, more, edition(entry), entry.page, mark.shape, mark.word, mark.why, detail)


def _without_rate(entry: SiteEntry) -> DutHeadline:
    _, rate, unit, name, shape, word, why = entry.told.shown
    return DutHeadline(rate, unit, test_name(*entry.test), name, "", edition(entry), entry.page, shape, word, why, "")


def counted(entries: Sequence[SiteEntry]) -> str:
    """`40 results, 1 inspection`."""
    tests = sum(entry.is_test for entry in entries)
    inspections = len(entries) - tests
    results = count(tests, "result") if tests or not inspections else ""
    return ", ".join(filter(None, (results, count(inspections, "inspection") if inspections else "")))


def newest_day(entries: Sequence[SiteEntry]) -> str:
    """`newest 2026-11-14` of the results; where there are only inspections, `inspected 2026-11-14`."""
    tests = [entry.started for entry in entries if entry.is_test]
    day = max(tests or [entry.started for entry in entries], default="")[:10]
    return day and f"{'newest' if tests else 'inspected'} {day}"


def edition(entry: SiteEntry) -> str:
    """`version 1.4, 2026-11-14`; unknown parts are omitted."""
    return ", ".join(filter(None, (entry.version and f"version {entry.version}", entry.started[:10])))
