"""A ramp as small as a word: what came back over what was offered."""

from __future__ import annotations

from wirespeed.charts.sparkline import path_of
from wirespeed.measurement.loadtest.analysis import Curve


def sparkline(curve: Curve) -> str:
    """An SVG path, both axes from 0 to the highest load offered; empty where there are not two loads."""
    points = sorted((point.offered_pps, point.received_pps) for point in curve.measured if point.phase == "ramp")
    return path_of(points, points[-1][0] if points else 0.0)
