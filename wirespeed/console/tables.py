"""Tables as T-Rex's console draws them: names on the left, one column for each port, rules of dashes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from rich.text import Text

Align = Literal["left", "center", "right"]


@dataclass(frozen=True)
class ConsoleRow:
    """A named row; `style` colours its values, all alike or each by its own."""

    name: str
    cells: tuple[str, ...]
    style: str | tuple[str, ...] = ""

    def style_of(self, place: int) -> str:
        if isinstance(self.style, str):
            return self.style
        return self.style[place] if place < len(self.style) else ""


RULE = ConsoleRow("", ())
"""A line across the table."""


@dataclass(frozen=True)
class ConsoleTable:
    """`columns` are the headings, that of the names first. `least` is the width below which no column goes."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[ConsoleRow, ...]
    align: Align = "right"
    least: int = 15


def render(table: ConsoleTable) -> Text:
    """The table as text that ends without a newline; the title stands above it."""
    widths = _widths(table)
    head = " | ".join(f"{name:^{width}}" for name, width in zip(table.columns, widths, strict=True)).rstrip()
    rule = "-+-".join("-" * width for width in widths)
    text = Text()
    if table.title:
        text.append(f"{table.title}\n\n", "bold")
    text.append(f"{head}\n", "bold")
    text.append(rule, "dim")
    for row in table.rows:
        text.append("\n")
        if row is RULE:
            text.append(rule, "dim")
            continue
        text.append(f"{row.name:<{widths[0]}}")
        cells = _padded(row.cells, len(widths) - 1)
        for place, (cell, width) in enumerate(zip(cells, widths[1:], strict=True)):
            text.append(" | ", "dim")
            text.append(_aligned(cell, width, table.align), row.style_of(place))
    return text


def render_compact(table: ConsoleTable) -> Text:
    """Render without title and rules, for places with few lines and columns."""
    widths = _widths(table)
    head = [_aligned(name, width, table.align) for name, width in zip(table.columns[1:], widths[1:], strict=True)]
    text = Text("  ".join([f"{table.columns[0]:<{widths[0]}}", *head]), "dim")
    for row in table.rows:
        if row is not RULE:
            text.append(f"\n{row.name:<{widths[0]}}", "not dim")
            cells = _padded(row.cells, len(widths) - 1)
            for place, (cell, width) in enumerate(zip(cells, widths[1:], strict=True)):
                text.append(f"  {_aligned(cell, width, table.align)}", f"not dim {row.style_of(place)}")
    return text


def facts(title: str, left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]]) -> Text:
    """Two columns of `name : value`."""
    name_width = max(len(name) for name, _ in (*left, *right))
    first, second = ([f"{name:<{name_width}} : {value}" for name, value in column] for column in (left, right))
    width = max(map(len, first)) + 3
    lines = [f"{one:<{width}}{other}".rstrip() for one, other in zip_longest(first, second, fillvalue="")]
    return Text.assemble((f"{title}\n\n", "bold"), "\n".join(lines))


def _widths(table: ConsoleTable) -> list[int]:
    listed = [row for row in table.rows if row is not RULE]
    names = max([len(table.columns[0]), *(len(row.name) for row in listed)])
    widths = [names]
    for place, heading in enumerate(table.columns[1:]):
        cells = (_padded(row.cells, len(table.columns) - 1)[place] for row in listed)
        widths.append(max([len(heading), table.least, *map(len, cells)]))
    return widths


def _padded(cells: tuple[str, ...], count: int) -> tuple[str, ...]:
    return cells + ("",) * (count - len(cells))


def _aligned(text: str, width: int, align: Align) -> str:
    return text.rjust(width) if align == "right" else text.center(width) if align == "center" else text.ljust(width)
