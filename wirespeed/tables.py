"""Tables: the columns as a value, and writers of markdown that reads well as plain text too, of CSV, of JSON, and for a
terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

_ACTING = re.compile(r"([\\|`*\[\]<])")
ARow = TypeVar("ARow")
Columns = Mapping[str, Callable[[ARow], str]]
"""The columns of a table: the text of a row's cell, by the heading."""


@dataclass(frozen=True)
class Grid:
    """A table for people. The first `texts` columns are words and the last `remarks` too, the others figures.
    `irregular` rows are marked."""

    shape: ClassVar = "grid"

    label: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    texts: int = 1
    remarks: int = 0
    irregular: frozenset[int] = frozenset()

    @property
    def figures(self) -> range:
        """The columns of figures."""
        return range(self.texts, len(self.headings) - self.remarks)

    def kind(self, column: int) -> str:
        if column in self.figures:
            return "figure"
        return "text" if column < self.texts else "text note"

    @property
    def markdown(self) -> str:
        return aligned([self.headings, *self.rows], self.figures)


def grid(
    label: str,
    columns: Columns[ARow],
    rows: Iterable[ARow],
    texts: int = 1,
    remarks: int = 0,
    irregular: frozenset[int] = frozenset(),
) -> Grid:
    cells = tuple(tuple(text(row) for text in columns.values()) for row in rows)
    return Grid(label, tuple(columns), cells, texts, remarks, irregular)


def with_rows(*grids: Grid) -> tuple[Grid, ...]:
    """The tables that have a row."""
    return tuple(one for one in grids if one.rows)


def plain(text: str) -> str:
    """`text` as one line in which nothing acts as markup."""
    return _ACTING.sub(r"\\\1", " ".join(text.split()))


def aligned(lines: Sequence[Sequence[str]], right: Container[int], *, escape: bool = True) -> str:
    """The first line as the head of the rest; columns in `right` are flush right. `escape` false: cells hold markup."""
    grid = [[plain(cell) if escape else cell for cell in line] for line in lines]
    widths = [max(3, *map(len, column)) for column in zip(*grid, strict=True)]
    rule = ["-" * (width - 1) + (":" if index in right else "-") for index, width in enumerate(widths)]
    padded = [
        [
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        for line in grid
    ]
    return "".join(f"| {' | '.join(line)} |\n" for line in [padded[0], rule, *padded[1:]])


def csv_lines(lines: Iterable[Iterable[Any]]) -> str:
    """The first line as the head of the rest; None is an empty cell."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue()


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Plain values under the names of their columns; what a row has not is an empty cell."""
    return csv_lines([columns, *([row.get(column) for column in columns] for row in rows)])


def rows_csv(kind: type[Any], rows: Iterable[Any]) -> str:
    """Rows of the dataclass `kind`, whose fields are the columns."""
    return csv_text([field.name for field in fields(kind)], map(vars, rows))


def json_text(document: Any) -> str:
    """JSON for people too. ValueError for what JSON has not, NaN among it."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def in_columns(lines: Iterable[Sequence[str]]) -> Iterator[str]:
    """Lines whose columns are as wide as what they hold."""
    grid = list(lines)
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    for line in grid:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def print_grid(table: Grid, whole: str = "", piped: int = 0) -> None:
    """On a terminal, cells are wrapped to its width, except figures and column `whole`. `piped` is the width without a
    terminal, 0 for that of the environment."""
    from rich import box  # noqa: PLC0415 - a command starts fast
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    console = Console()
    if piped and not console.is_terminal:
        console.width = piped
    drawn = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for column, name in enumerate(table.headings):
        figure = column in table.figures
        drawn.add_column(name, no_wrap=figure or name == whole, justify="right" if figure else "left", overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    console.print(drawn)
