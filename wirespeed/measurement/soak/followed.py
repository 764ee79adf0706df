"""A soak followed: a frame per second."""

from __future__ import annotations

from collections.abc import Iterator

from wirespeed.measurement.followed import PACKETS, Frame, Summary, way_of
from wirespeed.measurement.soak.result import SoakResult, Span


def frames_of(result: SoakResult) -> Iterator[Frame]:
    """The frames of a complete or an unfinished result."""
    return map(_second, result.seconds)


def summary_of(result: SoakResult) -> Summary:
    """The sums of the whole soak; latency is that of the last second."""
    summary = Summary("soak", "hold", len(result.seconds), (result.line_percent or 0) / 100)
    for channel, flow in result.total.flows.items() if result.total else ():
        lost = max(0, flow.lost - flow.delayed)
        values = (flow.offered + flow.unoffered, flow.offered, flow.received, lost, flow.unoffered)
        summary.packets[str(channel)] = dict(zip(PACKETS, values, strict=True))
    for channel, flow in result.seconds[-1].flows.items() if result.seconds else ():
        if flow.latency is not None:
            summary.latency_s[str(channel)] = (flow.latency.average_us / 1e6, flow.latency.max_us / 1e6)
    return summary


def _second(span: Span) -> Frame:
    seconds = span.watched_s or 1.0
    return {
        "t": round(span.at_s + span.watched_s, 3),
        "what": "hold",
        "ways": {
            str(way): way_of(
                flow.offered / seconds,
                flow.received / seconds,
                max(0, flow.lost - flow.delayed) / flow.offered if flow.offered else 0.0,
                flow.offered + flow.unoffered,
                flow.offered,
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
