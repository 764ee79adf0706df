"""A load test followed: a frame per sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from wirespeed.measurement.followed import PACKETS, Frame, Growing, Summary, cost_of, way_of
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.point import Point, points
from wirespeed.results.sample import Sample
from wirespeed.results.sample_json import sample_from_json

_PHASES = {"warmup": "warm-up"}


def frames_of(result: Result) -> Iterator[Frame]:
    """The frames of a complete or an unfinished result."""
    before = None
    for sample in result.samples:
        yield _sample_frame(result, before, sample)
        before = sample


def summary_of(result: Result) -> Summary:
    """The sums of all samples."""
    last = result.samples[-1].phase if result.samples else ""
    summary = Summary("loadtest", _PHASES.get(last, last), len(result.samples))
    for channel in result.channels:
        name = str(channel)
        row = points(result.samples, channel, result.medium(channel.tx), result.line_bps(channel.tx))
        of = [point.balance for point in row]
        lost = sum(one.offered - one.test_frames for one in of)
        intended = sum(one.offered if one.intended is None else one.intended for one in of)
        values = (intended, sum(one.offered for one in of), sum(one.test_frames for one in of))
        # A packet under way between two samples is lost in one and surplus in the next, so sums are told.
        summary.packets[name] = dict(zip(PACKETS, (*values, max(0.0, lost), sum(b.unoffered for b in of)), strict=True))
        summary.line = max([summary.line, *((point.offered_line_percent or 0) / 100 for point in row[-1:])])
        spans = [sample.latency[channel] for sample in result.samples if channel in sample.latency]
        if spans:
            summary.latency_s[name] = (spans[-1].average_us / 1e6, spans[-1].max_us / 1e6)
            total_s = sum(span.average_us * span.packets for span in spans) / 1e6
            summary.spread[name] = ([span.hdr for span in spans if span.hdr], total_s)
    return summary


class GrowingLoadtest(Growing):
    """The samples of a load test."""

    def __init__(self, head: Mapping[str, Any], first: Mapping[str, Any], name: str) -> None:
        self.head: Result = Result.from_json({**head, "stats": {"0": first}, "outcome": {}}, name)
        self._count = 0
        self._last: Sample | None = None

    def frame(self, entry: Mapping[str, Any]) -> Frame:
        sample = sample_from_json(self._count, entry)
        before, self._last, self._count = self._last, sample, self._count + 1
        return _sample_frame(self.head, before, sample)


GROWING = GrowingLoadtest


def _sample_frame(head: Result, before: Sample | None, sample: Sample) -> Frame:
    """One sample of a load test; `before` is the one before it."""
    points = {channel: _point(head, before, sample, channel) for channel in head.channels}
    lines = [point.line_bps for point in points.values()]
    frame: Frame = {
        "t": round(sample.t_s, 3),
        "what": sample.phase,
        "ways": {
            str(way): way_of(
                one.offered_pps, one.received_pps, one.loss_ratio, one.balance.intended, one.balance.offered
            )
            for way, one in points.items()
        },
        "tester": {
            "late": round(sum(port.late or 0 for port in sample.ports.values())),
            "unsent": round(sum(point.balance.unoffered for point in points.values())),
        },
        "latency": {str(way): [round(one.average_us, 2), round(one.max_us, 2)] for way, one in sample.latency.items()},
    }
    if lines and all(lines):
        frame["line"] = sum(
            point.offered_pps / point.offered_line_percent * 100
            for point in points.values()
            if point.offered_line_percent
        )
    return frame | cost_of(DutTelemetry.readable(sample.dut))


def _point(head: Result, before: Sample | None, sample: Sample, channel: Channel) -> Point:
    row = (sample,) if before is None else (before, sample)
    return points(row, channel, head.medium(channel.tx), head.line_bps(channel.tx))[-1]
