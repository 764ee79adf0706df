"""A test by its end, as `wirespeed.results.settled` has it, for all curves of an analysis."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.results.settled import settled_points


def settled(analysis: Analysis) -> Analysis:
    """The same, with no more lost by its samples than was in the end."""
    curves = (replace(one, points=settled_points(one.points, one.outcome.balance)) for one in analysis.curves)
    return replace(analysis, curves=tuple(curves))
