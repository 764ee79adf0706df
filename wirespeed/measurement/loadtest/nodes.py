"""Cost of each node of a router's workers at some loads of a load test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.results.dut import INPUT_NODES, OUTSIDE, DutTelemetry, NodeCost, NodeRow, WorkerCost, summed
from wirespeed.results.point import Point

SHARES_OF_RAMP = (0.1, 0.5, 1.0)
SAME_LOAD = 0.01


@dataclass(frozen=True)
class NodeCurve:
    """A node over the load: (held, offered pps of a channel, ticks a forwarded packet) a sample."""

    node: str
    dots: tuple[tuple[bool, float, float], ...]


def node_rows(test: Analysis) -> list[NodeRow]:
    """The workers at each step, or at three loads of a ramp: a tenth, half and all of the highest. Empty without node
    counters."""
    rows = []
    for points, told in _at_loads(_told(test)):
        offered_pps = sum(point.offered_pps for point in points) / len(points)
        for name in dict.fromkeys(worker.name for telemetry in told for worker in telemetry.workers):
            workers = [worker for telemetry in told for worker in telemetry.workers if worker.name == name]
            rows += _rows(test.result.name, offered_pps, name, workers)
    return rows


def dearest(test: Analysis, most: int = 5) -> tuple[NodeCurve, ...]:
    """The most expensive nodes of the whole test. Polling nodes are excluded, since they use all remaining time."""
    costs = _told(test)
    spent: Counter[str] = Counter()
    for _, telemetry in costs:
        for node in _nodes(telemetry):
            if node.name not in INPUT_NODES and node.vectors:
                spent[node.name] += node.clocks
    curves = []
    for name, _ in spent.most_common(most):
        dots = []
        for point, telemetry in costs:
            nodes = [node for node in _nodes(telemetry) if node.name == name]
            vectors = sum(node.vectors for node in nodes)
            if vectors:
                clocks = sum(node.clocks for node in nodes)
                dots.append((point.phase != "ramp", point.offered_pps / point.lines, clocks / vectors))
        curves.append(NodeCurve(name, tuple(dots)))
    return tuple(curves)


def _told(test: Analysis) -> list[tuple[Point, DutTelemetry]]:
    """The measured samples with telemetry of the router's workers."""
    pairs = zip(test.curves[-1].points, test.result.samples, strict=True)
    read = [(point, DutTelemetry.readable(sample.dut)) for point, sample in pairs if point.measured]
    return [(point, telemetry) for point, telemetry in read if telemetry.workers]


def _at_loads(
    costs: Sequence[tuple[Point, DutTelemetry]],
) -> list[tuple[list[Point], list[DutTelemetry]]]:
    if not costs:
        return []
    steps = [point.offered_pps for point, _ in costs if point.phase in ("step", "trial")]
    top = max(point.offered_pps for point, _ in costs)
    wanted = (
        steps
        if steps
        else [
            min((point.offered_pps for point, _ in costs), key=lambda pps: abs(pps - share * top))
            for share in SHARES_OF_RAMP
        ]
    )
    loads: list[float] = []
    for pps in wanted:
        if all(abs(pps - known) > SAME_LOAD * known for known in loads):
            loads.append(pps)
    chosen = []
    for load in loads:
        near = [(point, one) for point, one in costs if abs(point.offered_pps - load) <= SAME_LOAD * load]
        chosen.append(([point for point, _ in near], [one for _, one in near]))
    return chosen


def _rows(test: str, offered_pps: float, name: str, workers: Sequence[WorkerCost]) -> list[NodeRow]:
    """All samples of a worker as one: its most expensive node first, the ticks outside of nodes last."""
    total = sum(worker.clocks_total for worker in workers)
    costs = sorted(summed(node for worker in workers for node in worker.nodes), key=lambda cost: -cost.clocks)
    outside = NodeCost(OUTSIDE, 0, 0, total - sum(cost.clocks for cost in costs), 0)
    return [
        NodeRow(
            test=test,
            offered_pps=round(offered_pps, 3),
            worker=name,
            node=cost.name,
            calls=cost.calls,
            vectors=cost.vectors,
            suspends=cost.suspends,
            clocks=cost.clocks,
            clocks_per_packet=round(cost.clocks / cost.vectors, 2) if cost.vectors else None,
            vectors_per_call=round(cost.vectors / cost.calls, 2) if cost.calls else None,
            share_percent=round(cost.clocks / total * 100, 3) if total else 0.0,
        )
        for cost in (*costs, outside)
    ]


def _nodes(telemetry: DutTelemetry) -> list[NodeCost]:
    return [node for worker in telemetry.workers for node in worker.nodes]
