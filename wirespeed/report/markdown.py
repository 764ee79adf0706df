"""Tables of markdown that read well as plain text too."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

_ACTING = re.compile(r"([\\|`*\[\]<])")


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
