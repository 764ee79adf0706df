"""Durations of cells: those measured for similar cells, otherwise the longest that their test may take. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from wirespeed.campaign.cells import CampaignCell

UP_AND_DOWN_S = 6.0
"""For a lab to come up and go down, or a device to be prepared."""


def like(cell: CampaignCell) -> tuple[str, str, tuple[str, ...]]:
    """Cells that are alike take alike."""
    return (cell.bench, cell.command, cell.flags)


def seconds_of(cell: CampaignCell, measured: Mapping[tuple[str, str, tuple[str, ...]], Sequence[float]]) -> float:
    found = measured.get(like(cell))
    return median(found) if found else cell.most_s + UP_AND_DOWN_S


def time_text(seconds: float) -> str:
    """`45 s`, `12 min`, `3 h 20 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02} min"
