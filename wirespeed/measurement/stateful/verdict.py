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
from wirespeed.measurement.stateful.text import capacity_text
from wirespeed.measurement.verdicts import (
    LIMITED_BY,
    figure_of_bounds,
    limit_of_bound,
    verdict_of_trials,
)
from wirespeed.results.figures import measured_text
from wirespeed.results.verdict import BOUNDS, Figure, Limit, Mark, Verdict

_FULL = Limit("dut", "the state table is full", "give the table more entries (`dut prepare --states N`)", 0.9)


def rate_figure(row: RateRow) -> Figure:
    """`210 kflows/s of new flows with 1,000,000 flows`."""
    name = f"new flows with {row.subject}"
    rate = row.median
    if rate is None or row.left_out:
        return Figure(name, "not measured", why=f"not measured: {row.left_out or row.irregular or 'not found out'}")
    bound = BOUNDS.get(LIMITED_BY[row.limit], "")
    mark: Mark = "at least" if bound else "irregular" if row.irregular else "held"
    said = f"{'≥ ' if bound else ''}{measured_text(rate, 'flows/s')}{f' ({bound})' if bound else ''}"
    return Figure(name, mark, bound=bound, said=f"{name}: {said}", why=row.irregular if mark == "irregular" else "")


def throughput_figure(row: StateThroughputRow, result: StatefulResult | None = None) -> Figure:
    """The throughput over so many states; without `result` that of one direction."""
    wires = () if result is None else result.directions
    sent = {"both": wires, "initiator": wires[:1], "responder": wires[1:2]}[row.way]
    rate = row.median
    line = None if rate is None or not row.line_pps else rate / row.line_pps * 100
    way = "" if row.way == "both" else f"{row.way} sends"
    return figure_of_bounds(
        f"throughput with {subject_of(row.flows, row.addresses, way, row.filtered)}",
        [str(wire) for wire in sent],
        rate,
        None if row.is_at_least or rate is None or row.error is None else rate + row.error,
        LIMITED_BY[row.limit],
        row.irregular,
        loss_ratio=0.0,
        line_percent=line,
        frame_bytes=None if result is None else float(result.method.frame),
    )


def capacity_figure(row: CapacityRow) -> Figure:
    if row.capacity is None:
        return Figure("capacity", "not measured", why=f"not measured: {row.left_out}")
    mark: Mark = "irregular" if row.irregular else "held"
    return Figure("capacity", mark, said=capacity_text(row), why=row.irregular)


def _counting(result: StatefulResult) -> str:
    """Accuracy of the counting: duplicates cannot hide a loss."""
    if not result.trials:
        return ""
    again = sum(one.faults.get("duplicates", 0) for one in result.trials)
    return f"flows and frames are numbered: {f'{again:,} duplicates' if again else 'no duplicate'}"


def verdict_of(result: StatefulResult, named: Limit | None = None) -> Verdict:
    """The rates, then the throughputs, from the highest number of flows down. `named` is the limit that `explain`
    names."""
    rates = sorted((row for row in result.rate if row.filtered), key=lambda row: -row.flows)
    loads = sorted((row for row in result.throughput if row.filtered), key=lambda row: -row.flows)
    measured = [row for row in rates if not row.left_out]
    figures = (
        *(capacity_figure(row) for row in result.capacity),
        *(rate_figure(row) for row in measured or rates[:1]),
        *(throughput_figure(row, result) for row in loads if not row.left_out),
    )
    rows: list[FoundRow] = [row for row in (*measured, *loads) if row.limit != "none"]
    if any(row.full_at is not None for row in result.capacity):
        limit = named if named is not None and named.by == "dut" else _FULL
        return verdict_of_trials(result, figures, limit, _counting(result))
    limit = limit_of_bound(rows[0].limit if rows else "none", named)
    return verdict_of_trials(result, figures, limit, _counting(result))
