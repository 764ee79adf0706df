"""Markdown as articles have it: gaps that cannot be overlooked, blocks that nothing in them can leave."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wirespeed.pages.words import harmless
from wirespeed.report.markdown import aligned, plain

GAP = "**GAP**"
"""What a writer searches for."""
_FENCE = re.compile(r"`{3,}")


def gap(what: str, how: str = "") -> str:
    """What is missing and, in words that are markdown already, how to come by it."""
    return f"> {GAP}: {what}{f' {how}' if how else ''}\n"


def said(text: str) -> str:
    """A text of a result or of a user in a line of prose."""
    return plain(harmless(text))


def block(lines: Sequence[str], language: str = "") -> str:
    """Lines as they stand."""
    shown = [harmless(line.replace("\t", "        ")) for line in lines]
    longest = max((len(run) for line in shown for run in _FENCE.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return "\n".join([f"{fence}{language}", *shown, fence]) + "\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], figures: Sequence[int] = ()) -> str:
    return aligned([head, *([harmless(cell) for cell in row] for row in rows)], set(figures))


def listed(lines: Sequence[str]) -> str:
    return "".join(f"- {line}\n" for line in lines)


def chapter(title: str, *parts: str) -> str:
    return "\n".join([f"## {title}\n", *(part for part in parts if part)])
