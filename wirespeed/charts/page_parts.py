"""Values that a page is made of, whatever kind of result they show; report/templates/section.html writes them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from wirespeed.charts.chart import Chart
from wirespeed.charts.colours import MARKS
from wirespeed.charts.shapes import path_of
from wirespeed.pages.trust import Trust
from wirespeed.tables import Grid

LEGEND_PX, PANEL_HEAD_PX = 90, 40


@dataclass(frozen=True)
class ChartPlace:
    """Place in the page of the chart of the same `identity`, and its size."""

    shape: ClassVar = "chart"

    identity: str
    sentence: str
    height_px: int


class Drawn:
    """The charts of a page, collected as its parts are made."""

    def __init__(self) -> None:
        self.charts: list[Chart] = []

    def place(self, chart: Chart) -> ChartPlace:
        self.charts.append(chart)
        height_px = LEGEND_PX + sum(panel.height_px + PANEL_HEAD_PX for panel in chart.panels)
        return ChartPlace(chart.identity, chart.sentence, height_px)


@dataclass(frozen=True)
class Heading:
    """A title within a section."""

    shape: ClassVar = "heading"

    text: str


@dataclass(frozen=True)
class Paragraph:
    """One sentence or several; `verdict` stands out, `marked` warns, `caption` is smaller. One for the `screen` is not
    printed."""

    shape: ClassVar = "paragraph"

    text: str
    look: Literal["verdict", "marked", "caption", "caption screen"] = "caption"
    trust: Trust | None = None


@dataclass(frozen=True)
class Code:
    """Lines to be read and copied as they stand."""

    shape: ClassVar = "code"

    lines: tuple[str, ...]


@dataclass(frozen=True)
class ResultBlocks:
    """Blocks of the result that is named `of`; the page hides them with it."""

    shape: ClassVar = "part"

    of: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Fold:
    """Blocks below a line that opens them."""

    shape: ClassVar = "fold"

    summary: str
    blocks: tuple[Block, ...]
    of: str = ""
    is_open: bool = False
    look: str = ""


Block = ChartPlace | Grid | Heading | Paragraph | Code | ResultBlocks | Fold


@dataclass(frozen=True)
class PageSection:
    """Part of a page for one kind of result, or for the result that is named `of`. `identity` is its anchor."""

    title: str
    blocks: tuple[Block, ...]
    identity: str = ""
    look: str = ""
    of: str = ""


@dataclass(frozen=True)
class VerdictCard:
    """The verdict on the result `of`: its first figure in large, `more` are the other figures, `because` says what
    limited it. `colour` is that of the device, `edition` its version and the day."""

    dut: str
    rate: str
    unit: str
    share: str
    trust: Trust | None
    more: tuple[str, ...]
    load: str = ""
    heading: str = ""
    because: str = ""
    colour: str = ""
    of: str = ""
    edition: str = ""

    @property
    def mark(self) -> str:
        """The mark of the device's curves, as an SVG path in a box of 12 by 12 around 0, 0."""
        return path_of(MARKS.get(self.colour, "square"), 4)


@dataclass(frozen=True)
class Cards:
    """Cards under one heading; `rest` says where the results without one are, `identity` is their anchor. `notes` are
    of several cards."""

    heading: str
    cards: tuple[VerdictCard, ...]
    rest: str = ""
    identity: str = "found"
    notes: tuple[str, ...] = ()

    @property
    def shared(self) -> Mapping[Trust, int]:
        """Marks that several cards have, with how many: why they are there is said once."""
        marks = Counter(card.trust for card in self.cards if card.trust is not None and card.trust.why)
        return {trust: number for trust, number in marks.items() if number > 1}


@dataclass(frozen=True)
class ColumnHeading:
    """A column of the summary; `kind` is text or figure."""

    text: str
    kind: str


@dataclass(frozen=True)
class SummaryCell:
    """`sort_key` is empty where nothing is known; `filled_percent` is the length of a bar behind the text."""

    text: str
    kind: str
    sort_key: str
    filled_percent: str | None


@dataclass(frozen=True)
class SummaryRow:
    test: str
    cells: tuple[SummaryCell, ...]
    is_sum: bool


@dataclass(frozen=True)
class SummaryTable:
    """A table that its reader sorts."""

    headings: tuple[ColumnHeading, ...]
    rows: tuple[SummaryRow, ...]
