"""Small values that the parts of a page are made of, whatever kind of result they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chart:
    """A place for the figure of the same `identity`."""

    identity: str
    label: str
    height_px: int


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


def place(identity: str, label: str, figure: dict[str, Any], figures: dict[str, Any]) -> Chart:
    """Keep `figure` in `figures` under `identity`, and say where it goes."""
    figures[identity] = figure
    return Chart(identity, label, figure["layout"]["height"])


def grid(
    label: str, headings: Sequence[str], rows: Sequence[Sequence[str]], texts: int, remarks: int = 0
) -> Grid | None:
    """None without rows."""
    return Grid(label, tuple(headings), tuple(map(tuple, rows)), texts, remarks) if rows else None
