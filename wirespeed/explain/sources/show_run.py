"""Workers from a `show runtime` of VPP or wirespeed, and drops from a `show errors`; contradictions are reported."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from wirespeed.cases.facts import Worker, worker_of
from wirespeed.dut.counter_meanings import meaning
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.runtime import Runtime, ThreadRuntime, node_costs, read_runtime
from wirespeed.errors import UsageError
from wirespeed.results.dut import INPUT_NODES
from wirespeed.results.figures import rate_text

_CONTRADICTS = 0.05
_MOST_UNREAD = 3


@dataclass(frozen=True)
class ErrorCounts:
    """Counts of a `show errors`: packets dropped and other events, each by `node: reason`."""

    drops: dict[str, int] = field(default_factory=dict)
    events: dict[str, int] = field(default_factory=dict)


def workers_of(
    text: str, source: str, hz: float | None = None, pps: float | None = None
) -> tuple[tuple[Worker, ...], tuple[str, ...]]:
    """The threads that poll for packets, and sentences about lines that cannot be read and figures that do not fit each
    other. `pps` is the rate of a table that does not tell its own. UsageError for a text that is no `show runtime`."""
    runtime = read_runtime(text)
    threads = [thread for thread in runtime.threads if any(node.name in INPUT_NODES for node in thread.nodes)]
    if not threads:
        raise UsageError(
            f"{source} holds no `show runtime` of a thread that polls for packets: lines such as "
            "“dpdk-input polling 44406936 27119701 0 5.35e2 .61” below “Thread 1 vpp_wk_0 (lcore 1)” are needed"
        )
    latest = {thread.name: thread for thread in threads}
    workers = tuple(_worker(thread, source, hz, pps) for thread in latest.values())
    remarks = [*_unread(runtime, source)]
    remarks += [remark for thread in latest.values() for remark in _contradictions(thread, hz)]
    twice = [name for name in latest if sum(thread.name == name for thread in threads) > 1]
    remarks += [f"{name} is in {source} more than once: the last one counts" for name in twice]
    return workers, tuple(remarks)


def counted_in(text: str) -> ErrorCounts:
    """Counters of a `show errors`; a reason of several threads has their sum."""
    drops: Counter[str] = Counter()
    events: Counter[str] = Counter()
    for row in parse_errors(text):
        group = drops if meaning(row) == "drop" else events
        group[f"{row.node}: {row.reason}"] += row.count
    return ErrorCounts(dict(drops), dict(events))


def _worker(thread: ThreadRuntime, source: str, hz: float | None, pps: float | None) -> Worker:
    return worker_of(
        thread.name,
        thread.time_s,
        node_costs([thread]),
        source=source,
        tsc_hz=hz,
        in_pps=thread.in_pps or (None if thread.time_s else pps),
        out_pps=thread.out_pps if thread.in_pps else None,
        drop_pps=thread.drop_pps if thread.in_pps else None,
    )


def _unread(runtime: Runtime, source: str) -> list[str]:
    """The lines of a table that are not in the figures."""
    found = [f"{source}, line {one.number} is not read: “{one.text[:80]}”" for one in runtime.unread[:_MOST_UNREAD]]
    more = len(runtime.unread) - _MOST_UNREAD
    return [*found, f"{source}: {more} more lines of its tables are not read"] if more > 0 else found


def _contradictions(thread: ThreadRuntime, hz: float | None) -> list[str]:
    """The header's rate is of the same time as the vectors, so that both must agree, and no thread has more clocks than
    its CPU."""
    clocks = sum(node.clocks for node in node_costs([thread]))
    sentences = []
    if hz and thread.time_s and clocks / thread.time_s > (1 + _CONTRADICTS) * hz:
        sentences.append(
            f"{thread.name}: its nodes took {clocks / thread.time_s / 1e9:.3g} GHz of a CPU of {hz / 1e9:.3g}: "
            "they are not of that CPU, or not of that time"
        )
    return sentences + _rates(thread)


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
