"""Counters of a router since its start, as one value: the only place with the names of its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.results.dut import NodeCost
from wirespeed.statseg.reading import StatsCapture, StatsReading
from wirespeed.statseg.segment import StatsSegment

_PORT_LOSSES = ("rx-miss", "rx-error", "rx-no-buf", "tx-error")
_OF_NODES = ("calls", "vectors", "clocks", "suspends")
_MAIN = 0
_PREEMPTED = ("preempted-clocks", "absent-clocks")
_LONGEST_PREEMPTION = ("longest-preemption-clocks", "longest-absence-clocks")
"""The present name, and that of older routers."""
_NAMES = (
    f"^/sys/(loops|sleeps|idle-clocks|rx|tx|drops|{'|'.join((*_PREEMPTED, *_LONGEST_PREEMPTION))})$",
    "^/sys/node/",
    "^/err/",
    f"^/if/(names|{'|'.join(_PORT_LOSSES)})$",
)


@dataclass(frozen=True)
class WorkerCounters:
    """One worker since the router's start; `nodes` by name. `preempted_ticks` and the longest preemption of that time
    are None if the router does not report them, `idle_ticks` and `sleeps` if it does not count them."""

    loops: int
    rx_packets: int
    tx_packets: int
    drops: int
    nodes: dict[str, NodeCost]
    preempted_ticks: int | None
    longest_preemption_ticks: int | None
    sleeps: int | None = None
    idle_ticks: int | None = None


@dataclass(frozen=True)
class RouterCounters:
    """A router since its start. `reasons` are the named counters of nodes (`ip4-input/bad ip4 checksum`), not all of
    them drops; `ports` what drivers lost (`e0 rx-miss`), as of the last second."""

    workers: tuple[WorkerCounters, ...]
    reasons: dict[str, int]
    ports: dict[str, int]


def capture_counters(segment: StatsSegment) -> StatsCapture:
    """The words that `router_counters` makes a value of."""
    return segment.capture(_NAMES)


def router_counters(capture: StatsCapture) -> RouterCounters:
    """The value of a capture of `capture_counters`."""
    readings = capture.readings()
    interfaces = readings["/if/names"].texts
    ports = {
        f"{interface} {loss}": count
        for loss in _PORT_LOSSES
        # Drivers count for all workers: the main thread's row has it. Workers' rows are what they could not send, which
        # nodes count as well.
        for interface, (count,) in zip(interfaces, readings[f"/if/{loss}"].rows[_MAIN], strict=False)
        if interface
    }
    reasons = {
        name.removeprefix("/err/"): reading.total[0] for name, reading in readings.items() if name.startswith("/err/")
    }
    threads = range(_MAIN + 1, len(readings["/sys/loops"].values))
    return RouterCounters(tuple(_worker(readings, thread) for thread in threads), reasons, ports)


def _worker(readings: Mapping[str, StatsReading], thread: int) -> WorkerCounters:
    def own(name: str) -> int:
        return readings[f"/sys/{name}"].values[thread][0]

    def first_of(*names: str) -> int | None:
        return next((own(name) for name in names if f"/sys/{name}" in readings), None)

    return WorkerCounters(
        loops=own("loops"),
        rx_packets=own("rx"),
        tx_packets=own("tx"),
        drops=own("drops"),
        nodes=_nodes(readings, thread),
        preempted_ticks=first_of(*_PREEMPTED),
        longest_preemption_ticks=first_of(*_LONGEST_PREEMPTION),
        sleeps=first_of("sleeps"),
        idle_ticks=first_of("idle-clocks"),
    )


def _nodes(readings: Mapping[str, StatsReading], thread: int) -> dict[str, NodeCost]:
    """None where the router does not count them for others."""
    if "/sys/node/names" not in readings:
        return {}
    rows = (readings[f"/sys/node/{number}"].rows[thread] for number in _OF_NODES)
    return {
        name: NodeCost(name, calls=calls, vectors=vectors, clocks=clocks, suspends=suspends)
        for name, (calls,), (vectors,), (clocks,), (suspends,) in zip(
            readings["/sys/node/names"].texts, *rows, strict=False
        )
        if name
    }
