"""Small values that the parts of a page are made of, whatever kind of result they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.chart import Chart

LEGEND_PX, PANEL_HEAD_PX = 90, 40


@dataclass(frozen=True)
class Place:
    """Where the page draws the chart of the same `identity`, and how much room it takes."""

    identity: str
    sentence: str
    height_px: int


class Drawn:
    """The charts of a page, collected as its parts are made."""

    def __init__(self) -> None:
        self.charts: list[Chart] = []

    def place(self, chart: Chart) -> Place:
        self.charts.append(chart)
        height_px = LEGEND_PX + sum(panel.height_px + PANEL_HEAD_PX for panel in chart.panels)
        return Place(chart.identity, chart.sentence, height_px)


@dataclass(frozen=True)
class Grid:
    """A plain table; the first `texts` columns are words and the last one too with `remarks`, the others figures.
    `irregular` rows are marked."""

    label: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    remarks: int = 0
    irregular: frozenset[int] = frozenset()

    def kind(self, column: int) -> str:
        if column < self.texts:
            return "text"
        return "text note" if column >= len(self.headings) - self.remarks else "figure"


def grid(
    label: str, headings: Sequence[str], rows: Sequence[Sequence[str]], texts: int, remarks: int = 0
) -> Grid | None:
    """None without rows."""
    return Grid(label, tuple(headings), tuple(map(tuple, rows)), texts, remarks) if rows else None
