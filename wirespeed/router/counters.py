"""What a router has counted since it started, as one value: the one place that knows the names of its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirespeed.results.dut import NodeCost
from wirespeed.router.stats_block import Capture, Reading, StatsBlock

_PORT_LOSSES = ("rx-miss", "rx-error", "rx-no-buf", "tx-error")
_NAMES = ("^/sys/", "^/nodes/", "^/err/", f"^/interfaces/.*/({'|'.join(_PORT_LOSSES)})$")


@dataclass(frozen=True)
class WorkerCounters:
    """One worker since the router's start; `nodes` by name. Absent are ticks that others had its CPU, None where the
    router does not tell; the longest is of the whole time."""

    loops: int
    rx_packets: int
    tx_packets: int
    drops: int
    nodes: dict[str, NodeCost]
    absent_ticks: int | None
    longest_absent_ticks: int | None


@dataclass(frozen=True)
class RouterCounters:
    """A router since its start. `reasons` are the named counters of nodes (`ip4-input/bad ip4 checksum`), not all of
    them drops; `ports` what drivers lost (`e0 rx-miss`), as of the last second."""

    workers: tuple[WorkerCounters, ...]
    reasons: dict[str, int]
    ports: dict[str, int]


def capture_counters(block: StatsBlock) -> Capture:
    """The words that `router_counters` makes a value of."""
    return block.capture(_NAMES)


def router_counters(capture: Capture) -> RouterCounters:
    """The value of a capture of `capture_counters`."""
    readings = capture.readings()
    nodes: dict[str, dict[str, Reading]] = {}
    reasons, ports = {}, {}
    for name, reading in readings.items():
        _, group, rest = name.split("/", maxsplit=2)
        of, _, what = rest.rpartition("/")
        if group == "nodes":
            nodes.setdefault(of, {})[what] = reading
        elif group == "err":
            reasons[rest] = reading.total[0]
        elif group == "interfaces":
            ports[f"{of} {what}"] = reading.total[0]
    count = len(readings["/sys/loops"].values)
    return RouterCounters(tuple(_worker(readings, nodes, worker) for worker in range(count)), reasons, ports)


def _worker(readings: Mapping[str, Reading], nodes: Mapping[str, Mapping[str, Reading]], worker: int) -> WorkerCounters:
    def own(name: str) -> int:
        return readings[f"/sys/{name}"].values[worker][0]

    def told(name: str) -> int | None:
        return own(name) if f"/sys/{name}" in readings else None

    return WorkerCounters(
        loops=own("loops"),
        rx_packets=own("rx"),
        tx_packets=own("tx"),
        drops=own("drops"),
        nodes={name: _node(name, words, worker) for name, words in nodes.items()},
        absent_ticks=told("absent-clocks"),
        longest_absent_ticks=told("longest-absence-clocks"),
    )


def _node(name: str, words: Mapping[str, Reading], worker: int) -> NodeCost:
    return NodeCost(
        name,
        calls=words["calls"].values[worker][0],
        vectors=words["vectors"].values[worker][0],
        clocks=words["clocks"].values[worker][0],
        suspends=words["suspends"].values[worker][0],
    )
