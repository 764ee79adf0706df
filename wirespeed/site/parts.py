"""Small values that pages of the site are made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.pages.loads import directions_title, load_title
from wirespeed.site.drawing import Spark
from wirespeed.site.entries import SiteEntry, SiteFigure
from wirespeed.site.figures import mega, per_watt, trust
from wirespeed.site.names import box_page, test_page
from wirespeed.site.worth import parse_price, per_price_text

NOTHING = "–"


@dataclass(frozen=True)
class SiteCell:
    """`page` is where it leads to, empty for nowhere; `key` is what a column is sorted by, empty where nothing is
    known; `why` is its tooltip; `spark` stands in place of the text."""

    text: str
    page: str = ""
    key: str = ""
    is_figure: bool = False
    why: str = ""
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
class BoxAnswer:
    """What a box is known by, in large type."""

    rate: str
    unit: str
    of: str
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


def rate_cell(figure: SiteFigure | None, most_pps: float | None = None) -> SiteCell:
    """In Mpps, with its trust mark, and a bar for its share of `most_pps`."""
    if figure is None:
        return SiteCell(NOTHING, is_figure=True, why="not measured")
    pps, mark = figure.value.rate_pps, trust(figure)
    filled = "" if most_pps is None else f"{100 * pps / most_pps:.1f}"
    said = f"{mega(figure)} {mark.shape}"
    page = figure.entry.page
    return SiteCell(said, page, f"{pps:.9g}", is_figure=True, why=f"{mark.word}: {mark.why}", filled_percent=filled)


def per_watt_cell(figure: SiteFigure | None) -> SiteCell:
    if figure is None or figure.per_watt is None:
        return number(None, "", why="no power meter (--power)")
    return number(figure.per_watt, per_watt(figure), why=f"{figure.entry.watts:.1f} W")


def per_price_cell(figure: SiteFigure | None, price: str, date: str) -> SiteCell:
    known = parse_price(price)
    if figure is None or known is None:
        return number(None, "", why="no price in the testbed file (description: price)")
    pps = figure.value.rate_pps
    return number(pps / known.amount, per_price_text(pps, known), why=f"{price}{f', {date}' if date else ''}")


def share_cell(figure: SiteFigure) -> SiteCell:
    """Of the line rate of all directions together."""
    share = figure.value.line_percent
    return number(share, figure.told.share_text if share is not None else "", why="" if share else "line rate unknown")


def spark_cell(spark: Spark | None) -> SiteCell:
    return SiteCell(NOTHING) if spark is None else SiteCell("", key=str(len(spark.dots)), spark=spark)


def box_cell(box: str) -> SiteCell:
    return text(box, box_page(box))


def test_cell(entry: SiteEntry) -> SiteCell:
    return text(test_name(entry.load, entry.directions), test_page(*entry.test))


def test_name(load: str, directions: str) -> str:
    return f"{load_title(load) or 'load unknown'}, {directions_title(directions) or 'all directions'}"


def answer_of(figure: SiteFigure | None) -> BoxAnswer | None:
    if figure is None:
        return None
    rate, unit = figure.told.rate_parts
    mark, entry = trust(figure), figure.entry
    share = "" if figure.value.line_percent is None else f", {figure.told.share_text}"
    of = f"{figure.name}{share}, {test_name(entry.load, entry.directions)}"
    return BoxAnswer(rate, unit, of, entry.page, mark.shape, mark.word, mark.why)
