"""Results of the tests of stateful devices as rows of one shape, for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wirespeed.measurement.rfc.rows import RfcFigure
from wirespeed.measurement.stateful.result import (
    CapacityRow,
    FoundRow,
    RateRow,
    Row,
    StatefulResult,
    StateLatencyRow,
    StateLossRow,
    TearDownRow,
    Test,
    percentile,
)
from wirespeed.measurement.stateful.text import WITH, WITHOUT
from wirespeed.measurement.stateful.verdict import row_limit
from wirespeed.results.figures import rounded
from wirespeed.results.verdict import Named


@dataclass(frozen=True, kw_only=True)
class StatefulRow(RfcFigure):
    """One figure: `value` in `unit`, the median of `repeats` with their 1st and 99th percentile. `upper` is the next
    rate or load of a search that failed. `filter` is "as is" or "off"; `sends` is the side that sent over the states,
    empty for a rate of new flows. `states` is the number of entries in use, None if the DUT was not read."""

    flows: int
    filter: str
    sends: str
    p1: float | None = None
    p99: float | None = None
    opened_at: float | None = None
    states: int | None = None
    frame_bytes: int | None = None
    addresses: int = 1
    source_ports: int | None = None
    destination_ports: int | None = None


def figures_of(result: StatefulResult, test: Test, row: Row, named: Named) -> Iterator[StatefulRow]:
    ranges = result.method.ranges_of(row.flows, row.addresses)
    blank = StatefulRow(
        test=result.name,
        benchmark=test,
        directions=", ".join(map(str, result.directions)),
        flows=row.flows,
        filter=WITH if row.filtered else WITHOUT,
        sends=getattr(row, "way", ""),
        states=row.states,
        addresses=row.addresses,
        opened_at=rounded(getattr(row, "opened_at", None)),
        frame_bytes=result.method.frame,
        source_ports=None if ranges is None else ranges.source_ports,
        destination_ports=None if ranges is None else ranges.destination_ports,
        irregular=row.remark,
    )
    match row:
        case FoundRow():
            is_rate = isinstance(row, RateRow)
            figure = replace(
                blank,
                quantity="connection establishment rate" if is_rate else "throughput",
                unit="flows/s" if is_rate else "frames/s",
                limit=row.limit,
                limited_by=row_limit(row, named).by,
                upper=rounded(None if row.median is None or row.error is None else row.median + row.error),
            )
            yield _spread(figure, row.found)
            if isinstance(row, RateRow) and row.found:
                unvalidated = replace(blank, quantity="unvalidated rate", unit="flows/s")
                yield replace(unvalidated, value=rounded(row.unvalidated), repeats=len(row.found))
        case StateLossRow():
            for point in row.points:
                yield replace(
                    blank,
                    quantity="frame loss rate",
                    unit="%",
                    value=round(point.loss_percent, 6),
                    load_pps=rounded(point.offered_pps),
                    irregular=point.irregular or row.irregular,
                )
        case CapacityRow():
            figure = replace(blank, quantity="capacity", unit="flows")
            yield _spread(replace(figure, upper=rounded(row.full_at)), row.found)
        case TearDownRow():
            yield _spread(replace(blank, quantity="tear-down rate", unit="entries/s"), row.rates)
        case StateLatencyRow():
            of = replace(blank, directions=row.direction, unit="µs", load_pps=rounded(row.load_pps))
            for name, values in row.quantities.items():
                yield _spread(replace(of, quantity=name if "PDV" in name else f"{name} latency"), values)


def _spread(row: StatefulRow, values: Sequence[float]) -> StatefulRow:
    return replace(
        row,
        value=rounded(percentile(values, 50)),
        p1=rounded(percentile(values, 1)),
        p99=rounded(percentile(values, 99)),
        repeats=len(values),
    )
