"""The verdict on tests of stateful devices. Pure."""

from __future__ import annotations

from wirespeed.measurement.stateful.result import (
    CapacityRow,
    FoundRow,
    RateRow,
    StatefulResult,
    StateThroughputRow,
    subject_of,
)
from wirespeed.measurement.verdicts import (
    LIMITED_BY,
    figure_of_bounds,
    limit_of_bound,
    verdict_of_trials,
)
from wirespeed.results.figures import measured_text
from wirespeed.results.verdict import BOUNDS, Figure, Limit, Mark, Named, Verdict

_FULL = Limit("dut", "the state table is full", "give the table more entries (`dut prepare --states N`)", 0.9)


def rate_figure(row: RateRow) -> Figure:
    """`210 kflows/s of new flows with 1,000,000 flows`."""
    name = f"new flows with {row.subject}"
    if row.median is None or row.left_out:
        return Figure(name, "not measured", why=f"not measured: {row.left_out or row.irregular or 'not found out'}")
    bound = BOUNDS.get(LIMITED_BY[row.limit], "")
    mark: Mark = "at least" if bound else "irregular" if row.irregular else "held"
    said, why = f"{name}: {rate_words(row)}", row.irregular if mark == "irregular" else ""
    return Figure(name, mark, bound=bound, said=said, why=why)


def rate_words(row: RateRow) -> str:
    """`≥ 210 kflows/s (tester-limited)`."""
    bound = BOUNDS.get(LIMITED_BY[row.limit], "")
    rate = measured_text(row.median or 0.0, "flows/s")
    return f"≥ {rate} ({bound})" if bound else rate


def throughput_figure(row: StateThroughputRow, result: StatefulResult | None = None) -> Figure:
    """The throughput over so many states; without `result` that of one direction."""
    wires = () if result is None else result.directions
    sent = {"both": wires, "initiator": wires[:1], "responder": wires[1:2]}[row.way]
    rate = row.median
    way = "" if row.way == "both" else f"{row.way} sends"
    return figure_of_bounds(
        f"throughput with {subject_of(row.flows, row.addresses, way, row.filtered)}",
        [str(wire) for wire in sent],
        rate,
        None if row.is_at_least or rate is None or row.error is None else rate + row.error,
        LIMITED_BY[row.limit],
        row.irregular,
        loss_ratio=0.0,
        line_percent=row.line_percent,
        frame_bytes=None if result is None else float(result.method.frame),
    )


def capacity_figure(row: CapacityRow) -> Figure:
    if row.capacity is None:
        return Figure("capacity", "not measured", why=f"not measured: {row.left_out}")
    mark: Mark = "irregular" if row.irregular else "held"
    return Figure("capacity", mark, said=capacity_text(row), why=row.irregular)


def capacity_text(row: CapacityRow) -> str:
    """`capacity 99,994 flows, full at 100,040`."""
    if row.capacity is None:
        return f"no capacity: {row.left_out}"
    full = "no number tried was too many" if row.full_at is None else f"full at {row.full_at:,}"
    return f"capacity {'≥ ' if row.full_at is None else ''}{row.capacity:,} flows, {full}"


def row_limit(row: FoundRow, named: Named) -> Limit:
    """The limit of one rate or load."""
    return limit_of_bound(row.limit, named.get(row.case))


def _counting(result: StatefulResult) -> str:
    """Accuracy of the counting: duplicates cannot hide a loss."""
    if not result.trials:
        return ""
    again = sum(one.faults.get("duplicates", 0) for one in result.trials)
    return f"flows and frames are numbered: {f'{again:,} duplicates' if again else 'no duplicate'}"


def verdict_of(result: StatefulResult, named: Named) -> Verdict:
    """The rates, then the throughputs, from the highest number of flows down; the limit is that of the first."""
    rates = sorted((row for row in result.rate if row.filtered), key=lambda row: -row.flows)
    loads = sorted((row for row in result.throughput if row.filtered), key=lambda row: -row.flows)
    measured = [row for row in rates if not row.left_out]
    figures = (
        *(capacity_figure(row) for row in result.capacity),
        *(rate_figure(row) for row in measured or rates[:1]),
        *(throughput_figure(row, result) for row in loads if not row.left_out),
    )
    rows: list[FoundRow] = [row for row in (*measured, *loads) if row.limit != "none"]
    limits: dict[str, Limit] = {}
    for row in rows:
        limits.setdefault(row.case, row_limit(row, named))  # sending sides share a case
    if any(row.full_at is not None for row in result.capacity):
        told = (limit for case, limit in named.items() if case.startswith("capacity ") and limit.by == "dut")
        return verdict_of_trials(result, figures, next(told, _FULL), _counting(result), limits)
    limit = next(iter(limits.values()), limit_of_bound("none", None))
    return verdict_of_trials(result, figures, limit, _counting(result), limits)
