"""Inspections of machines, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Grid
from wirespeed.results.inspection import Inspection


@dataclass(frozen=True)
class InspectedMachine:
    """`marks` are what is off, `texts` what it was read from: the command and its lines."""

    title: str
    marks: tuple[str, ...]
    missing: tuple[str, ...]
    tables: tuple[Grid, ...]
    texts: tuple[tuple[str, tuple[str, ...]], ...]


def machines(inspections: Sequence[Inspection]) -> tuple[InspectedMachine, ...]:
    return tuple(
        InspectedMachine(
            title=f"{one.machine}, {one.taken}",
            marks=tuple(f"{mark.subject}: {mark.text}" for mark in one.marks),
            missing=one.missing,
            tables=tuple(Grid(part.title, part.headings, part.rows, texts=len(part.headings)) for part in one.parts),
            texts=tuple((name, tuple(kept.text.splitlines())) for name, kept in one.texts.items() if kept.text.strip()),
        )
        for one in inspections
    )
