"""Inspections of machines, for the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.results.inspection import Inspection
from wirespeed.tables import Grid


@dataclass(frozen=True)
class InspectedMachine:
    """`marks` are the problems, `texts` the sources: each command and its lines."""

    title: str
    marks: tuple[str, ...]
    missing: tuple[str, ...]
    tables: tuple[Grid, ...]
    texts: tuple[tuple[str, tuple[str, ...]], ...]


def machines(inspections: Sequence[Inspection]) -> tuple[InspectedMachine, ...]:
    return tuple(
        InspectedMachine(
            title=f"{inspection.machine}, {inspection.taken}",
            marks=tuple(f"{mark.subject}: {mark.text}" for mark in inspection.marks),
            missing=inspection.missing,
            tables=tuple(
                Grid(part.title, part.headings, part.rows, texts=len(part.headings)) for part in inspection.parts
            ),
            texts=tuple(
                (name, tuple(kept.text.splitlines())) for name, kept in inspection.texts.items() if kept.text.strip()
            ),
        )
        for inspection in inspections
    )
