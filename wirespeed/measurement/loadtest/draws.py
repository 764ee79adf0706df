"""Power of the device at each load of a load test, from the watts of its samples. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING

from wirespeed.results.draw import Draw
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.point import points
from wirespeed.results.sample import Sample

if TYPE_CHECKING:
    from wirespeed.measurement.loadtest.result import Result

EDGE_S = 5.0
"""Part of a load that is excluded at either end if the load is long enough: a plug averages over a second and lags."""
RAMP_PARTS = 10


def draws_of(result: Result, ramp_parts: int) -> Iterator[Draw]:
    """One for each load, and at most `ramp_parts` for a ramp."""
    columns = [points(result.samples, one, result.medium(one.tx), result.line_bps(one.tx)) for one in result.channels]
    rows = [
        (sample, sum(point.offered_pps for point in row), sum(point.received_pps for point in row))
        for sample, row in zip(result.samples, zip(*columns, strict=True), strict=True)
        if sample.measured
    ]
    for load, grouped in groupby(rows, key=lambda row: _load_of(result, row[0])):
        some = list(grouped)
        if load == "ramp":
            size = max(1, -(-len(some) // ramp_parts))
            for first in range(0, len(some), size):
                yield _draw(load, some[first : first + size])
        else:
            yield _draw(load, _without_edges(some))


def _load_of(result: Result, sample: Sample) -> str:
    """Name of a sample's load: its phase or, in a test by steps, the step that was due."""
    names = result.variables.steps.split(",")
    hold_s = result.variables.hold_duration
    if sample.phase != "step" or hold_s is None or hold_s <= 0:
        return sample.phase
    first = next(one for one in result.samples if one.phase == "step")
    into_s = sample.t_s - sample.interval_s / 2 - (first.t_s - first.interval_s)
    return names[min(len(names) - 1, max(0, int(into_s / hold_s)))]


def _without_edges(rows: list[tuple[Sample, float, float]]) -> list[tuple[Sample, float, float]]:
    begin_s, end_s = rows[0][0].t_s - rows[0][0].interval_s, rows[-1][0].t_s
    if end_s - begin_s < 3 * EDGE_S:
        return rows
    return [row for row in rows if row[0].t_s - row[0].interval_s >= begin_s + EDGE_S and row[0].t_s <= end_s - EDGE_S]


def _draw(load: str, rows: Sequence[tuple[Sample, float, float]]) -> Draw:
    told = [DutTelemetry.readable(sample.dut).watts for sample, _, _ in rows]
    # Packets forwarded while the meter was silent are not compared with its later readings.
    known = [(watts, *row[1:]) for watts, row in zip(told, rows, strict=True) if watts is not None]
    offered, received = (fmean(row[at] for row in known or [(0.0, *row[1:]) for row in rows]) for at in (1, 2))
    watts = fmean(row[0] for row in known) if known else None
    return Draw(load, offered, received, watts, len(rows), len(rows) - len(known))
