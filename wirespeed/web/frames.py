"""A running test as frames for the page: one a sample, trial or second, plain JSON. Pure.

    {"t": 3.25, "what": "ramp", "load": "", "ways": {"0→1": [offered, received, loss]}, "line": 2.9e7,
     "cost": {"cycles": 181.2, "vectors": 230.1, "classes": {"input": 31.0, …}}, "tester": {"late": 0, "unsent": 0},
     "latency": {"0→1": [average_us, max_us]}}

Rates are packets a second, `loss` a share of what was offered, `line` all directions' together or absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.results.channel import Channel
from wirespeed.results.dut import INPUT_NODES, DutTelemetry
from wirespeed.results.file import AnyResult
from wirespeed.results.loadtest import Result
from wirespeed.results.node_classes import class_of
from wirespeed.results.point import Point, points
from wirespeed.results.rfc2544 import Rfc2544Result
from wirespeed.results.sample import Sample
from wirespeed.results.search import SearchResult, SearchTrial
from wirespeed.results.soak import SoakResult, Span

Frame = dict[str, Any]


def frames_of(result: AnyResult) -> Iterator[Frame]:
    """Of a whole result, or of what there is of one."""
    match result:
        case Result():
            before = None
            for sample in result.samples:
                yield sample_frame(result, before, sample)
                before = sample
        case SearchResult():
            for one in result.trials:
                yield _trial(one, one.label or one.purpose)
        case Rfc2544Result():
            for trial in result.trials:
                yield _trial(trial.judged, f"{trial.test} {trial.frame}")
        case SoakResult():
            yield from map(_second, result.seconds)


def sample_frame(head: Result, before: Sample | None, sample: Sample) -> Frame:
    """One sample of a load test; `before` is the one before it."""
    found = {channel: _point(head, before, sample, channel) for channel in head.channels}
    lines = [point.line_bps for point in found.values()]
    frame: Frame = {
        "t": round(sample.t_s, 3),
        "what": sample.phase,
        "ways": {str(way): _way(one.offered_pps, one.received_pps, one.loss_ratio) for way, one in found.items()},
        "tester": {
            "late": round(sum(port.late or 0 for port in sample.ports.values())),
            "unsent": round(sum(point.balance.unoffered for point in found.values())),
        },
        "latency": {str(way): [round(one.average_us, 2), round(one.max_us, 2)] for way, one in sample.latency.items()},
    }
    if lines and all(lines):
        frame["line"] = sum(
            point.offered_pps / point.offered_line_percent * 100
            for point in found.values()
            if point.offered_line_percent
        )
    return frame | _cost(DutTelemetry.readable(sample.dut))


def _point(head: Result, before: Sample | None, sample: Sample, channel: Channel) -> Point:
    row = (sample,) if before is None else (before, sample)
    return points(row, channel, head.medium(channel.tx), head.line_bps(channel.tx))[-1]


def _trial(one: SearchTrial, what: str) -> Frame:
    trial, ways = one.trial, one.trial.channels
    return {
        "t": round(trial.ended_s, 3),
        "what": what,
        "load": one.load_pps,
        "ways": {
            str(way): _way(found.offered_pps, found.received_pps, found.balance.loss_ratio)
            for way, found in ways.items()
        },
        "tester": {"late": 0, "unsent": round(one.wanted * one.not_sent_ratio)},
        "latency": {
            str(way): [round(found.latency.average_us, 2), round(found.latency.max_us, 2)]
            for way, found in ways.items()
            if found.latency is not None
        },
    } | _cost(trial.dut)


def _second(span: Span) -> Frame:
    seconds = span.watched_s or 1.0
    return {
        "t": round(span.at_s + span.watched_s, 3),
        "what": "hold",
        "ways": {
            str(way): _way(
                flow.offered / seconds,
                flow.received / seconds,
                max(0, flow.lost - flow.came_later) / flow.offered if flow.offered else 0.0,
            )
            for way, flow in span.flows.items()
        },
        "tester": {"late": 0, "unsent": round(sum(flow.unoffered for flow in span.flows.values()))},
        "latency": {
            str(way): [round(flow.latency.average_us, 2), round(flow.latency.max_us, 2)]
            for way, flow in span.flows.items()
            if flow.latency is not None
        },
    }


def _way(offered_pps: float, received_pps: float, loss: float) -> list[float]:
    return [float(f"{offered_pps:.6g}"), float(f"{received_pps:.6g}"), float(f"{loss:.4g}")]


def _cost(told: DutTelemetry) -> Frame:
    """Clocks a packet, in all and by what the nodes do; nothing of a device that does not tell."""
    cycles, vectors, packets = told.cycles_per_packet, told.vectors_per_call, told.in_packets
    if cycles is None:
        return {}
    clocks: dict[str, float] = {}
    for worker in told.workers:
        for node in worker.nodes:
            name = "input" if node.name in INPUT_NODES else class_of(node.name)
            clocks[name] = clocks.get(name, 0.0) + node.clocks
    classes = {name: round(value / packets, 1) for name, value in clocks.items()} if packets else {}
    return {"cost": {"cycles": round(cycles, 1), "vectors": round(vectors or 0.0, 1), "classes": classes}}
