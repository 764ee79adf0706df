"""The progress of a running test: frames for the live page, and sums for the exporter. Kinds without trials have their
own `followed` module.

A frame is plain JSON, one a sample, trial or second:

    {"t": 3.25, "what": "ramp", "load": "", "ways": {"0→1": [offered, received, loss, intended]}, "line": 2.9e7,
     "cost": {"cycles": 181.2, "vectors": 230.1, "classes": {"input": 31.0, …}}, "tester": {"late": 0, "unsent": 0},
     "latency": {"0→1": [average_us, max_us]}}

Rates are packets per second, `loss` is a share of the offered load. `intended` is the intended load (RFC 2285), null if
the generator does not report it. `line` is the line rate of all directions together, or absent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.results.dut import DutTelemetry
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.node_classes import class_of
from wirespeed.results.search_trial import SearchTrial

Frame = dict[str, Any]
DRAIN = "drain"
"""`what` of a frame after the traffic, while packets are waited for; it has no load."""
PACKETS = ("intended", "offered", "received", "lost", "unsent")
"""Counters of a direction in a summary."""


@dataclass
class Summary:
    """A test so far. By direction: packets by name, mean and worst latency in seconds, and the latency's histograms
    (HDR) with the sum of what they count in seconds."""

    kind: str
    phase: str = ""
    samples: int = 0
    line: float = 0.0
    packets: dict[str, dict[str, float]] = field(default_factory=dict)
    latency_s: dict[str, tuple[float, float]] = field(default_factory=dict)
    spread: dict[str, tuple[list[str], float]] = field(default_factory=dict)


class Growing(ABC):
    """A journal that is read as it grows, each entry once. `head` is the test with its first entry alone."""

    head: MeasurementResult

    @abstractmethod
    def __init__(self, head: Mapping[str, Any], first: Mapping[str, Any], name: str) -> None:
        """ValueError or KeyError for an invalid head or first entry."""

    @abstractmethod
    def frame(self, entry: Mapping[str, Any]) -> Frame:
        """The frame of the next entry."""


def frames_of(result: MeasurementResult) -> Iterator[Frame]:
    """One frame per trial, of a complete or an unfinished result."""
    return (trial_frame(one, what) for what, one in result.judged_trials)


def summary_of(result: MeasurementResult) -> Summary:
    """The sums of all trials."""
    summary = Summary(result.kind, "trial", len(result.judged_trials))
    for _, trial in result.judged_trials:
        for channel, outcome in trial.trial.channels.items():
            row = summary.packets.setdefault(str(channel), dict.fromkeys(PACKETS, 0.0))
            of = outcome.balance
            intended = of.offered if of.intended is None else of.intended
            for name, value in zip(PACKETS, (intended, of.offered, of.test_frames, of.lost, of.unoffered), strict=True):
                row[name] += max(0.0, value)
            if outcome.latency is not None:
                summary.latency_s[str(channel)] = (outcome.latency.average_us / 1e6, outcome.latency.max_us / 1e6)
    return summary


def trial_frame(judged: SearchTrial, what: str) -> Frame:
    """One trial of `what`, at the load that was asked."""
    trial, ways = judged.trial, judged.trial.channels
    return {
        "t": round(trial.ended_s, 3),
        "what": what,
        "load": judged.load_pps,
        "ways": {
            str(way): way_of(
                outcome.offered_pps,
                outcome.received_pps,
                outcome.balance.loss_ratio,
                outcome.balance.intended,
                outcome.balance.offered,
            )
            for way, outcome in ways.items()
        },
        "tester": {"late": 0, "unsent": round(judged.wanted * judged.not_sent_ratio)},
        "latency": {
            str(way): [round(found.latency.average_us, 2), round(found.latency.max_us, 2)]
            for way, found in ways.items()
            if found.latency is not None
        },
    } | cost_of(trial.dut)


def way_of(
    offered_pps: float, received_pps: float, loss: float, intended: float | None, offered: float
) -> list[float | None]:
    """One direction in a frame. `intended` and `offered` are packets of the same time."""
    intended_pps = None if intended is None or not offered else float(f"{offered_pps * intended / offered:.6g}")
    return [float(f"{offered_pps:.6g}"), float(f"{received_pps:.6g}"), float(f"{loss:.4g}"), intended_pps]


def cost_of(telemetry: DutTelemetry) -> Frame:
    """Clocks a packet, in all and by what the nodes do; nothing of a device that does not tell."""
    cycles, vectors, packets = telemetry.cycles_per_packet, telemetry.vectors_per_call, telemetry.in_packets
    if cycles is None:
        return {}
    clocks: dict[str, float] = {}
    for worker in telemetry.workers:
        for node in worker.nodes:
            name = class_of(node.name)
            clocks[name] = clocks.get(name, 0.0) + node.clocks
    classes = {name: round(value / packets, 1) for name, value in clocks.items()} if packets else {}
    return {"cost": {"cycles": round(cycles, 1), "vectors": round(vectors or 0.0, 1), "classes": classes}}
