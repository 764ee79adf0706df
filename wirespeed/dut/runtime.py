"""Reading `show runtime`, VPP's or ours, and what follows from it.

Words as VPP has them: clocks are TSC ticks a packet in one node, vectors/call is how many packets a node got at
once (1 when idle, 256 when the worker cannot keep up).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.results.dut import NodeCost

_THREAD = re.compile(r"Thread (?P<index>\d+) (?P<name>\S+)(?: \(lcore (?P<lcore>\d+)\))?")
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?"
_TIME = re.compile(rf"Time (?P<time>{_NUMBER}), (?:.*?loops/sec (?P<loops>{_NUMBER}))?")
_RATES = re.compile(rf"vector rates in (?P<in>{_NUMBER}), out (?P<out>{_NUMBER}), drop (?P<drop>{_NUMBER})")
_NODE = re.compile(
    r"\s*(?P<name>\S+)\s+(?P<state>active|polling|interrupt\s\w+|\".*?\"?|\w+ \w+)\s+(?P<calls>\d{1,20})"
    rf"\s+(?P<vectors>\d{{1,20}})\s+(?P<suspends>\d{{1,20}})\s+(?P<clocks>{_NUMBER})\s+(?P<per_call>{_NUMBER})\s*"
)


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


def parse_runtime(text: str) -> tuple[ThreadRuntime, ...]:
    """All threads of a `show runtime`; lines that are none of its rows are passed over. VPP without workers prints no
    thread: what it then says is of `vpp_main`."""
    threads: list[ThreadRuntime] = []
    blocks = re.split(r"(?m)^[ \t]*(?=Thread \d+ )", text.replace("\r", ""))
    alone = len(blocks) == 1
    for block in blocks:
        head = _THREAD.match(block)
        if head is None and not (alone and _TIME.search(block)):
            continue
        time, rates = _TIME.search(block), _RATES.search(block)
        rows = [match for match in map(_NODE.fullmatch, block.splitlines()) if match]
        threads.append(
            ThreadRuntime(
                name=head["name"] if head is not None else "vpp_main",
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


def node_costs(threads: Sequence[ThreadRuntime]) -> tuple[NodeCost, ...]:
    """The rows of all threads; ticks are as exact as the text, which prints three digits of those of a packet."""
    return tuple(
        NodeCost(node.name, node.calls, node.vectors, round(node.clocks * (node.vectors or node.calls)), node.suspends)
        for thread in threads
        for node in thread.nodes
    )
