"""Run-time counters: cycles of nodes, errors, buffers.

- `show runtime` shows polling nodes as `polling` or, while their worker sleeps, as `interrupt wa` (cut as in VPP).
- `show errors` and `show node counters` are one command, as in VPP. They sum over the workers; `verbose` shows them
  separately.
- Threads are numbered as in VPP: the main thread, which forwards nothing, is 0 and not shown.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.router.cleared_statistics import WorkerRuntime
from wirespeed.router.columns import centre, fixed, scientific
from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match
from wirespeed.seam.graph import NodeCounter, NodeStats

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_RULE = "-" * 15
_HEADROOM = 128
"""Bytes that DPDK keeps before the frame (RTE_PKTMBUF_HEADROOM)."""


@command("show runtime [summary|max]")
def show_runtime(console: Console, words: Match) -> Iterator[str]:
    """Calls, vectors and cycles of each node on each worker, since clear runtime."""
    for position, thread in enumerate(console.statistics.runtime()):
        if position:
            yield _RULE
        yield from _header(thread)
        if "max" in words:
            yield from _max_table(thread.nodes)
        elif "summary" not in words:
            yield from _table(thread.nodes)


def _header(thread: WorkerRuntime) -> Iterator[str]:
    yield f"Thread {thread.index} {thread.name} (lcore {thread.cpu})"
    yield (
        f"Time {thread.time_s:.1f}, 10 sec internal node vector rate {thread.vectors_per_call:.2f} "
        f"loops/sec {thread.loops_per_s:.2f}"
    )
    yield (
        f"  vector rates in {scientific(thread.in_pps, 4)}, out {scientific(thread.out_pps, 4)}, "
        f"drop {scientific(thread.drop_pps, 4)}, punt {scientific(thread.punt_pps, 4)}"
    )


def _table(nodes: tuple[NodeStats, ...]) -> Iterator[str]:
    heads = ("Calls", "Vectors", "Suspends", "Clocks", "Vectors/Call")
    yield centre("Name", 30) + centre("State", 12) + "".join(centre(head, 16) for head in heads)
    for node in nodes:
        yield (
            f"{node.name:<30}{centre(_state(node), 12)}{node.calls:>16}{node.vectors:>16}{node.suspends:>16}"
            f"{scientific(clocks_per_vector(node)):>16}{fixed(node.vectors / node.calls):>16}"
        )


def _state(node: NodeStats) -> str:
    """VPP cuts the last one to its column too."""
    if not node.polling:
        return "active"
    return "interrupt wa" if node.asleep else "polling"


def _max_table(nodes: tuple[NodeStats, ...]) -> Iterator[str]:
    """The most expensive call of each node since clear runtime."""
    heads = (("Max Node Clocks", 17), ("Vectors at Max", 16), ("Max Clocks", 16), ("Avg Clocks", 16))
    yield centre("Name", 30) + "".join(centre(head, width) for head, width in heads) + centre("Avg Vectors/Call", 16)
    for node in nodes:
        each = node.max_clocks / node.max_clocks_vectors if node.max_clocks_vectors else 0.0
        columns = [
            centre(scientific(node.max_clocks), 17),
            centre(node.max_clocks_vectors, 16),
            centre(scientific(each), 16),
            centre(scientific(clocks_per_vector(node)), 16),
            centre(scientific(node.vectors / node.calls), 16),
        ]
        yield f"{node.name:<30}{''.join(columns)}"


def clocks_per_vector(node: NodeStats) -> float:
    """TSC ticks per packet, or a call where no packet came: a poll of an idle line."""
    return node.clocks / (node.vectors or node.calls or 1)


@command("clear runtime")
def clear_runtime(console: Console, words: Match) -> None:
    """Set the counters of show runtime to 0."""
    console.statistics.clear_runtime()


@command("show errors [verbose]", "show node counters [verbose]")
def show_errors(console: Console, words: Match) -> Iterator[str]:
    """Named counters of the nodes, such as drops, since clear errors."""
    threads = [console.statistics.errors(worker) for worker in range(console.core.worker_count())]
    total: Counter[NodeCounter] = Counter()
    for counter in itertools.chain.from_iterable(threads):
        total[replace(counter, count=0)] += counter.count
    head = f"{centre('Count', 10)}{centre('Node', 35)}{centre('Reason', 35)}{centre('Severity', 10)}"
    if "verbose" not in words:
        yield head
        yield from (_counter(counter, count) for counter, count in total.items())
        return
    yield head + centre("Index", 6)
    indexes = {counter: index for index, counter in enumerate(total)}
    for worker, counters in enumerate(threads):
        yield f"Thread {worker + 1} ({console.core.worker(worker).name}):"
        for counter in counters:
            yield f"{_counter(counter, counter.count)}{indexes[replace(counter, count=0)]:>6} "
    yield "Total:"
    yield from (f"{_counter(counter, count)}{indexes[counter]:>6} " for counter, count in total.items())


def _counter(counter: NodeCounter, count: int) -> str:
    severity = "error" if counter.is_error else "info"
    return f"{count:>10}{centre(counter.node, 35)}{centre(counter.reason, 35)}{centre(severity, 10)}"


@command("clear errors", "clear node counters")
def clear_errors(console: Console, words: Match) -> None:
    """Set the counters of show errors to 0."""
    console.statistics.clear_errors()


@command("show buffers")
def show_buffers(console: Console, words: Match) -> Iterator[str]:
    """Packet buffer pools, one per NUMA node with workers."""
    heads = (
        ("Index", 6),
        ("NUMA", 6),
        ("Size", 6),
        ("Data Size", 11),
        ("Total", 6),
        ("Avail", 8),
        ("Cached", 8),
        ("Used", 8),
    )
    yield f"{'Pool Name':<20}" + "".join(centre(head, width) for head, width in heads)
    for index, pool in enumerate(console.core.pools()):
        # Buffers in the caches of workers count as available; how many there are is theirs alone to know.
        size, used = pool.buffer_size, pool.total - pool.available
        values = (index, max(0, pool.node), size, size - _HEADROOM, pool.total, pool.available, "-", used)
        columns = (centre(value, width) for value, (_, width) in zip(values, heads, strict=True))
        yield f"{pool.name:<20}{''.join(columns)}"
