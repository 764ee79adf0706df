"""Markdown as articles have it: gaps that cannot be overlooked, blocks that nothing in them can leave. What is markdown
already is Markup, and ends without a newline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from wirespeed.pages.words import harmless
from wirespeed.tables import aligned, plain

GAP = "**GAP**"
"""The mark of a gap, for a writer's search."""
_FENCE = re.compile(r"`{3,}")


def marked(text: str) -> Markup:
    return Markup(text.rstrip("\n"))


def gap(what: str, how: str = "") -> Markup:
    """A missing part and, in Markdown, the way to obtain it."""
    return marked(f"> {GAP}: {what}{f' {how}' if how else ''}")


def said(text: str) -> str:
    """A text of a result or of a user in a line of prose."""
    return plain(harmless(text))


def block(lines: Iterable[str], language: str = "") -> Markup:
    """Lines as they stand."""
    shown = [harmless(line.replace("\t", "        ")) for line in lines]
    longest = max((len(run) for line in shown for run in _FENCE.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return marked("\n".join([f"{fence}{language}", *shown, fence]))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], figures: Sequence[int] = ()) -> Markup:
    return marked(aligned([head, *([harmless(cell) for cell in row] for row in rows)], set(figures)))
