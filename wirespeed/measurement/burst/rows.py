"""Results of burst tests as rows: plain values for programs, a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Grid, grid
from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.burst.verdict import limited_by
from wirespeed.measurement.load import load_of
from wirespeed.results.figures import NOTHING, Scaler, rounded
from wirespeed.results.verdict import LIMITS


@dataclass(frozen=True)
class BurstRow:
    """One burst test. Lengths are frames of each direction at `load_pps`: the longest that was forwarded whole, the
    shortest that lost frames each time, and the longest allowed. `longest_s` is the time that the longest took."""

    test: str
    load: str
    directions: str
    load_pps: float
    longest: float | None
    longest_s: float | None
    lossy: int | None
    most: int
    bursts: int
    limited_by: str
    outcome: str


def burst_rows(results: Sequence[BurstResult]) -> list[BurstRow]:
    return [
        BurstRow(
            test=result.name,
            load=load_of(result).name,
            directions=", ".join(map(str, result.directions)),
            load_pps=round(result.load_pps, 3),
            longest=rounded(result.longest),
            longest_s=None if result.longest is None else round(result.burst_s(result.longest), 9),
            lossy=result.lossy,
            most=result.most,
            bursts=len(result.trials),
            limited_by=limited_by(result),
            outcome=result.ending.status,
        )
        for result in results
    ]


def tables_of(results: Sequence[BurstResult], scaler: Scaler) -> tuple[Grid, ...]:
    head = (
        *("Burst test", "Load", "Directions", f"Rate in a burst ({scaler.unit} each way)", "Longest whole (frames)"),
        *("Longest whole (ms)", "Shortest lossy (frames)", "Bursts", "Limited by", "Outcome"),
    )
    cells = [
        (
            *(row.test, row.load, row.directions, scaler.text(row.load_pps), _frames(row.longest)),
            NOTHING if row.longest_s is None else f"{row.longest_s * 1e3:.3f}",
            *(_frames(row.lossy), str(row.bursts), LIMITS[limited_by(one)], row.outcome),
        )
        for one, row in zip(results, burst_rows(results), strict=True)
    ]
    return grid("Burst tests", head, cells, 3, 2)


def _frames(frames: float | None) -> str:
    return NOTHING if frames is None else f"{frames:,.0f}"
