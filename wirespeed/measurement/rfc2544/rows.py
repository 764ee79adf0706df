"""Results of the tests of RFC 2544 as rows of one shape, for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wirespeed.measurement.rfc.rows import RfcFigure
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    RecoveryRow,
    ResetRow,
    Rfc2544Result,
    Row,
    Spread,
    Test,
    ThroughputRow,
)
from wirespeed.measurement.rfc2544.verdict import row_limit
from wirespeed.results.figures import rounded
from wirespeed.results.verdict import Named


@dataclass(frozen=True, kw_only=True)
class BenchmarkRow(RfcFigure):
    """One figure: `value` in `unit`, the mean of repeated measurements. Rates are frames per second of each direction;
    percentages are of the theoretical rate. `upper` is the next load of a search that failed."""

    frame: str
    frame_bytes: float
    least: float | None = None
    most: float | None = None
    stdev: float | None = None
    load_line_percent: float | None = None
    line_pps: float | None = None
    line_percent: float | None = None


def figures_of(result: Rfc2544Result, test: Test, row: Row, named: Named) -> Iterator[BenchmarkRow]:
    blank = BenchmarkRow(
        test=result.name,
        benchmark=test,
        directions=", ".join(map(str, result.directions)),
        frame=row.frame,
        frame_bytes=row.frame_bytes,
        irregular=row.irregular,
    )
    match row:
        case ThroughputRow():
            yield replace(
                blank,
                quantity="throughput",
                unit="frames/s",
                value=rounded(row.throughput_pps),
                upper=rounded(row.upper_pps),
                line_pps=rounded(row.line_pps),
                line_percent=rounded(row.line_percent),
                limit=row.limit,
                limited_by=row_limit(row, named).by,
            )
        case LatencyRow():
            found = _spread(replace(blank, quantity="latency", unit="µs"), row.spread_us)
            yield replace(
                found,
                directions=row.direction,
                least=rounded(row.least_us),
                most=rounded(row.most_us),
                load_pps=rounded(row.load_pps),
                line_pps=rounded(row.line_pps),
            )
        case FrameLossRow():
            for point in row.points:
                yield replace(
                    blank,
                    quantity="frame loss rate",
                    unit="%",
                    value=round(point.loss_percent, 6),
                    load_pps=rounded(point.offered_pps),
                    load_line_percent=rounded(point.offered_percent),
                    line_pps=rounded(row.line_pps),
                    irregular=point.irregular or row.irregular,
                )
        case BackToBackRow():
            skipped = replace(blank, irregular=row.irregular or row.skipped, line_pps=rounded(row.line_pps))
            yield _spread(replace(skipped, quantity="burst", unit="frames"), row.spread)
            for quantity, value in (("implied buffer", row.implied_s), ("corrected buffer", row.corrected_s)):
                seconds = None if value is None else round(value, 9)
                yield replace(skipped, quantity=quantity, unit="s", value=seconds, repeats=len(row.lengths))
        case RecoveryRow():
            load = replace(blank, quantity="recovery", unit="s", load_pps=rounded(row.overload_pps))
            yield _spread(load, row.spread_s)
        case ResetRow():
            yield _spread(replace(blank, quantity="reset", unit="s", load_pps=rounded(row.load_pps)), row.spread_s)


def _spread(row: BenchmarkRow, spread: Spread | None) -> BenchmarkRow:
    if spread is None:
        return replace(row, repeats=0)
    value, least, most, stdev = (round(one, 6) for one in (spread.mean, spread.least, spread.most, spread.stdev))
    return replace(row, value=value, least=least, most=most, stdev=stdev, repeats=spread.count)
