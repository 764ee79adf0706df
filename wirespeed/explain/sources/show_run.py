"""Workers from a `show runtime`, VPP's or ours, and drops from a `show errors`; what contradicts itself is told."""

from __future__ import annotations

from wirespeed.dut.errors import parse_errors
from wirespeed.dut.runtime import ThreadRuntime, node_costs, parse_runtime
from wirespeed.errors import UsageError
from wirespeed.explain.facts import Worker, worker_of
from wirespeed.results.dut import INPUT_NODES
from wirespeed.results.figures import rate_text

_CONTRADICTS = 0.05
_NO_DROPS = ("L2 output packets", "L2 input packets")
"""VPP counts these among its errors of severity `error`, and they are none."""


def workers_of(text: str, source: str, hz: float | None = None) -> tuple[tuple[Worker, ...], tuple[str, ...]]:
    """The threads that poll for packets, and sentences about figures that do not fit each other. UsageError for a text
    that is no `show runtime`."""
    threads = [thread for thread in parse_runtime(text) if any(node.name in INPUT_NODES for node in thread.nodes)]
    if not threads:
        raise UsageError(
            f"{source} holds no `show runtime` of a thread that polls for packets: lines such as "
            "“dpdk-input polling 44406936 27119701 0 5.35e2 .61” below “Thread 1 vpp_wk_0 (lcore 1)” are needed"
        )
    workers = tuple(_worker(thread, source, hz) for thread in threads)
    return workers, tuple(remark for thread in threads for remark in _contradictions(thread))


def drops_of(text: str) -> dict[str, int]:
    """Packets dropped by reason, as `node: reason`."""
    found: dict[str, int] = {}
    for row in parse_errors(text):
        if row.severity == "error" and row.reason not in _NO_DROPS:
            key = f"{row.node}: {row.reason}"
            found[key] = found.get(key, 0) + row.count
    return found


def _worker(thread: ThreadRuntime, source: str, hz: float | None) -> Worker:
    return worker_of(
        thread.name,
        thread.time_s,
        node_costs([thread]),
        source=source,
        tsc_hz=hz,
        in_pps=thread.in_pps or None,
        out_pps=thread.out_pps if thread.in_pps else None,
    )


def _contradictions(thread: ThreadRuntime) -> list[str]:
    """The header's rate is of the same time as the vectors, so that both must agree."""
    packets = sum(node.vectors for node in thread.nodes if node.name in INPUT_NODES)
    if not thread.in_pps or not thread.time_s:
        return []
    counted = packets / thread.time_s
    if abs(counted / thread.in_pps - 1) <= _CONTRADICTS:
        return []
    return [
        f"{thread.name}: the header says {rate_text(thread.in_pps)}, its {packets:,} vectors in {thread.time_s:g} s "
        f"are {rate_text(counted)}: they are not of the same time"
    ]
