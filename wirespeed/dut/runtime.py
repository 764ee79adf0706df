"""Reading `show runtime`, VPP's or ours, and what follows from it.

Words as VPP has them: clocks are TSC ticks a packet in one node, vectors/call is how many packets a node got at
once (1 when idle, 256 when the worker cannot keep up).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_THREAD = re.compile(r"Thread (?P<index>\d+) (?P<name>\S+)(?: \(lcore (?P<lcore>\d+)\))?")
_TIME = re.compile(r"Time (?P<time>[\d.]+), .*?vector rate (?P<rate>[\d.]+)(?: loops/sec (?P<loops>[\d.]+))?")
_RATES = re.compile(r"vector rates in (?P<in>\S+), out (?P<out>\S+), drop (?P<drop>\S+), punt (?P<punt>\S+)")
_NODE = re.compile(
    r"\s*(?P<name>\S+)\s+(?P<state>active|polling|interrupt\s\w+|\".*?\"?|\w+ \w+)\s+(?P<calls>\d+)\s+(?P<vectors>\d+)"
    r"\s+(?P<suspends>\d+)\s+(?P<clocks>[\d.e+]+)\s+(?P<per_call>[\d.]+)\s*"
)
INPUT_NODES = ("dpdk-input", "memif-input")


@dataclass(frozen=True)
class NodeRuntime:
    """One row: `clocks` per packet, or per call when the node saw no packet."""

    name: str
    state: str
    calls: int
    vectors: int
    suspends: int
    clocks: float
    vectors_per_call: float


@dataclass(frozen=True)
class ThreadRuntime:
    """One thread's block; rates are packets a second since the counters were cleared."""

    name: str
    time_s: float
    loops_per_s: float
    in_pps: float
    out_pps: float
    drop_pps: float
    nodes: tuple[NodeRuntime, ...]

    def node(self, name: str) -> NodeRuntime | None:
        return next((node for node in self.nodes if node.name == name), None)


@dataclass(frozen=True)
class Cost:
    """What forwarding costs the workers, all of them together.

    `cycles_per_packet` is the sum of the nodes' clocks, weighted by the packets each saw, over the packets that came
    in; `without_input` leaves out the polling node, whose clocks hold the idle polls as well. `idle_polls` is the share
    of polls that found nothing: a worker that is the limit has none.
    """

    cycles_per_packet: float
    cycles_without_input: float
    vectors_per_call: float
    idle_polls: float
    in_pps: float
    out_pps: float
    drop_pps: float


def parse_runtime(text: str) -> tuple[ThreadRuntime, ...]:
    """All threads of a `show runtime`; lines that are none of its rows are passed over."""
    threads: list[ThreadRuntime] = []
    for block in re.split(r"(?m)^(?=Thread \d+ )", text):
        head = _THREAD.match(block)
        if head is None:
            continue
        time, rates = _TIME.search(block), _RATES.search(block)
        rows = [match for match in map(_NODE.fullmatch, block.splitlines()) if match]
        threads.append(
            ThreadRuntime(
                name=head["name"],
                time_s=float(time["time"]) if time else 0.0,
                loops_per_s=float(time["loops"] or 0.0) if time else 0.0,
                in_pps=float(rates["in"]) if rates else 0.0,
                out_pps=float(rates["out"]) if rates else 0.0,
                drop_pps=float(rates["drop"]) if rates else 0.0,
                nodes=tuple(_node(row) for row in rows),
            )
        )
    return tuple(threads)


def _node(row: re.Match[str]) -> NodeRuntime:
    return NodeRuntime(
        name=row["name"],
        state=row["state"].strip('"'),
        calls=int(row["calls"]),
        vectors=int(row["vectors"]),
        suspends=int(row["suspends"]),
        clocks=float(row["clocks"]),
        vectors_per_call=float(row["per_call"]),
    )


def forwarding_cost(threads: Sequence[ThreadRuntime]) -> Cost | None:
    """The cost over all threads that took packets in; None when none did."""
    packets = calls = polls = 0
    clocks = input_clocks = 0.0
    for thread in threads:
        for node in thread.nodes:
            if node.vectors:
                clocks += node.clocks * node.vectors
            polls += node.calls if node.name in INPUT_NODES else 0
            if node.name in INPUT_NODES and node.vectors:
                packets += node.vectors
                input_clocks += node.clocks * node.vectors
        first = thread.node("ethernet-input")
        calls += first.calls if first else 0
    if not packets:
        return None
    return Cost(
        cycles_per_packet=clocks / packets,
        cycles_without_input=(clocks - input_clocks) / packets,
        vectors_per_call=packets / calls if calls else 0.0,
        idle_polls=max(0.0, 1 - calls / polls) if polls else 0.0,
        in_pps=sum(thread.in_pps for thread in threads),
        out_pps=sum(thread.out_pps for thread in threads),
        drop_pps=sum(thread.drop_pps for thread in threads),
    )
