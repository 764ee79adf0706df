"""Results of burst tests as rows: plain values for programs, a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.burst.verdict import limited_by
from wirespeed.measurement.load import load_of
from wirespeed.results.figures import NOTHING, Scaler, fixed_text, rounded
from wirespeed.results.verdict import LIMITS, LimitedBy
from wirespeed.tables import Columns, Grid, grid, with_rows


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
    limited_by: LimitedBy
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
    titles = {one.name: load_of(one).title for one in results}
    columns: Columns[BurstRow] = {
        "Burst test": lambda row: row.test,
        "Load": lambda row: titles[row.test],
        "Directions": lambda row: row.directions,
        f"Rate in a burst ({scaler.unit} each way)": lambda row: scaler.text(row.load_pps),
        "Longest whole (frames)": lambda row: _frames(row.longest),
        "Longest whole (ms)": lambda row: fixed_text(row.longest_s, 3, 1e3),
        "Shortest lossy (frames)": lambda row: _frames(row.lossy),
        "Bursts": lambda row: str(row.bursts),
        "Limited by": lambda row: LIMITS[row.limited_by],
        "Outcome": lambda row: row.outcome,
    }
    return with_rows(grid("Burst tests", columns, burst_rows(results), texts=3, remarks=2))


def _frames(frames: float | None) -> str:
    return NOTHING if frames is None else f"{frames:,.0f}"
