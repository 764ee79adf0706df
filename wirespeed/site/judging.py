"""Two sets of figures of one subject, compared as `wirespeed compare` does. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.compare.comparison import ComparisonRow, compare
from wirespeed.site.entries import SiteFigure

WITHIN, CONFIDENCE = 0.01, 0.95


def judged(a: Sequence[SiteFigure], b: Sequence[SiteFigure]) -> ComparisonRow:
    """The judgement of B against A."""
    subject = a[0].subject
    (row,) = compare({subject: [one.value for one in a]}, {subject: [one.value for one in b]}, WITHIN, CONFIDENCE).rows
    return row
