"""Workers from a `show runtime`, VPP's or ours, and drops from a `show errors`; what contradicts itself is told."""

from __future__ import annotations

from wirespeed.dut.errors import UNTOLD, parse_errors
from wirespeed.dut.runtime import ThreadRuntime, node_costs, parse_runtime
from wirespeed.errors import UsageError
from wirespeed.explain.causes import _reasons as reasons
from wirespeed.explain.causes._drops import has
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
    latest = {thread.name: thread for thread in threads}
    workers = tuple(_worker(thread, source, hz) for thread in latest.values())
    remarks = [remark for thread in latest.values() for remark in _contradictions(thread, hz)]
    twice = [name for name in latest if sum(thread.name == name for thread in threads) > 1]
    remarks += [f"{name} is in {source} more than once: the last one counts" for name in twice]
    return workers, tuple(remarks)


def drops_of(text: str) -> dict[str, int]:
    """Packets dropped by reason, as `node: reason`."""
    found: dict[str, int] = {}
    for row in parse_errors(text):
        known = row.severity == UNTOLD and has(row.reason, reasons.ALL)
        if (row.severity == "error" or known) and row.reason not in _NO_DROPS:
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


def _contradictions(thread: ThreadRuntime, hz: float | None) -> list[str]:
    """The header's rate is of the same time as the vectors, so that both must agree, and no thread has more clocks than
    its CPU."""
    clocks = sum(node.clocks for node in node_costs([thread]))
    found = []
    if hz and thread.time_s and clocks / thread.time_s > (1 + _CONTRADICTS) * hz:
        found.append(
            f"{thread.name}: its nodes took {clocks / thread.time_s / 1e9:.3g} GHz of a CPU of {hz / 1e9:.3g}: "
            "they are not of that CPU, or not of that time"
        )
    return found + _rates(thread)


def _rates(thread: ThreadRuntime) -> list[str]:
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
