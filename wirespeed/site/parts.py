"""Small values that pages of the site are made of. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.pages.loads import directions_title, load_title
from wirespeed.pages.words import count
from wirespeed.results.verdict import FULL_LOAD
from wirespeed.site.drawing import Spark
from wirespeed.site.entries import Catalogue, SiteEntry, SiteFigure
from wirespeed.site.figures import at_least, mega, per_watt, trust
from wirespeed.site.names import dut_page, test_page
from wirespeed.site.worth import parse_price, per_price_text

NOTHING = "–"


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


@dataclass(frozen=True)
class DutHeadline:
    """The headline figure of a DUT, in large type: that of `test`. `edition` is the version of the DUT and the day;
    `more` is what it forwarded at full load, if that is another figure."""

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


def text(said: str, page: str = "", why: str = "") -> SiteCell:
    return SiteCell(said or NOTHING, page, said, why=why)


def number(value: float | None, said: str, page: str = "", why: str = "") -> SiteCell:
    if value is None:
        return SiteCell(NOTHING, is_figure=True, why=why or "not measured")
    return SiteCell(said, page, f"{value:.9g}", is_figure=True, why=why)


def _marked(figure: SiteFigure, value: float, said: str, why: str = "") -> SiteCell:
    """A value that follows from the figure, with the figure's trust mark."""
    mark = trust(figure)
    told = ". ".join(filter(None, (why, f"{mark.word}: {mark.why}")))
    return SiteCell(f"{said} {mark.shape}", "", f"{value:.9g}", is_figure=True, why=told)


def rate_cell(figure: SiteFigure | None, filled: float | None = None, note: str = "") -> SiteCell:
    """In Mpps, with its trust mark, and a bar over `filled` percent of the cell."""
    if figure is None:
        return SiteCell(NOTHING, is_figure=True, why="not measured")
    pps = figure.value.rate_pps
    percent = "" if filled is None else f"{filled:.1f}"
    return replace(_marked(figure, pps, mega(figure)), page=figure.entry.page, note=note, filled_percent=percent)


def per_watt_cell(figure: SiteFigure | None) -> SiteCell:
    if figure is None or figure.per_watt is None:
        return number(None, "", why="no power meter (--power)")
    return _marked(figure, figure.per_watt, per_watt(figure), f"{figure.entry.watts:.1f} W")


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


def answer_of(figure: SiteFigure | None, site: Catalogue) -> DutHeadline | None:
    if figure is None:
        return None
    rate, unit = figure.told.rate_parts
    mark, entry = trust(figure), figure.entry
    share = "" if figure.value.line_percent is None else f", {figure.told.share_text}"
    full = (one for one in site.figures[entry.digest] if one.name == FULL_LOAD and one.told.text != figure.told.text)
    more = "; ".join(one.told.line for one in full)
    test, of = test_name(*entry.test), f"{figure.name}{share}"
    return DutHeadline(rate, unit, test, of, more, edition(entry), entry.page, mark.shape, mark.word, mark.why)


def counted(entries: Sequence[SiteEntry]) -> str:
    """`40 results, 1 inspection`."""
    tests = sum(entry.is_test for entry in entries)
    inspections = len(entries) - tests
    results = count(tests, "result") if tests or not inspections else ""
    return ", ".join(filter(None, (results, count(inspections, "inspection") if inspections else "")))


def edition(entry: SiteEntry) -> str:
    """`version 1.4, 2026-11-14`; unknown parts are omitted."""
    return ", ".join(filter(None, (entry.version and f"version {entry.version}", entry.started[:10])))
