"""Counters since they were last cleared, and rates: the data plane itself counts up for ever."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING

from wirespeed.seam.graph import NodeCounter, NodeStats, Totals
from wirespeed.seam.interfaces import InterfaceCounters

if TYPE_CHECKING:
    from wirespeed.router.native import NativeRouter

RATE_WINDOW_S = 10
"""Time span of the vector rate in `show runtime`; that of loops/sec is one second."""


@dataclass(frozen=True)
class WorkerRuntime:
    """One worker since the last clear. Rates are packets per second; `nodes` holds those that ran, by name."""

    index: int
    name: str
    cpu: int
    time_s: float
    vectors_per_call: float
    loops_per_s: float
    in_pps: float
    out_pps: float
    drop_pps: float
    punt_pps: float
    nodes: tuple[NodeStats, ...]


@dataclass(frozen=True)
class _Sample:
    tsc: int
    loops: int
    calls: int
    vectors: int


class Statistics:
    """Reads one router's counters. `sample` is due once a second; nothing else is kept between calls."""

    def __init__(self, core: NativeRouter) -> None:
        self._core = core
        self._workers = range(core.worker_count())
        self._samples: list[deque[_Sample]] = [deque(maxlen=RATE_WINDOW_S + 1) for _ in self._workers]
        self._runtime_cleared = core.tsc()
        self._nodes: list[dict[str, NodeStats]] = [{} for _ in self._workers]
        self._totals = [Totals(0, 0, 0, 0, 0) for _ in self._workers]
        self._errors: list[dict[tuple[str, str], int]] = [{} for _ in self._workers]
        self._interfaces: dict[int, InterfaceCounters] = {}
        self.sample()

    def sample(self) -> None:
        """Remember the counters that rates are computed from."""
        for worker in self._workers:
            self._samples[worker].append(self._read(worker))

    def clear_runtime(self) -> None:
        self._runtime_cleared = self._core.tsc()
        for worker in self._workers:
            self._nodes[worker] = {node.name: node for node in self._core.node_stats(worker)}
            self._totals[worker] = self._core.totals(worker)
        self._core.clear_maxima()

    def clear_errors(self) -> None:
        for worker in self._workers:
            self._errors[worker] = {(c.node, c.reason): c.count for c in self._core.node_counters(worker)}

    def clear_interfaces(self) -> None:
        self._interfaces = {i: self._core.interface_counters(i) for i in self._core.interface_names().values()}

    def clear_interface(self, index: int) -> None:
        self._interfaces[index] = self._core.interface_counters(index)

    def forget_interface(self, index: int) -> None:
        """Forgets a deleted one: the next with its number begins at zero."""
        self._interfaces.pop(index, None)

    def runtime(self) -> list[WorkerRuntime]:
        return [self._thread(worker) for worker in self._workers]

    def errors(self, worker: int) -> list[NodeCounter]:
        """The counters of one worker that are not zero."""
        cleared = self._errors[worker]
        counters = [
            replace(counter, count=counter.count - cleared.get((counter.node, counter.reason), 0))
            for counter in self._core.node_counters(worker)
        ]
        return [counter for counter in counters if counter.count]

    def interface(self, index: int) -> InterfaceCounters:
        now = astuple(self._core.interface_counters(index))
        cleared = astuple(self._interfaces.get(index, InterfaceCounters()))
        return InterfaceCounters(*(a - b for a, b in zip(now, cleared, strict=True)))

    def _thread(self, worker: int) -> WorkerRuntime:
        time_s = max((self._core.tsc() - self._runtime_cleared) / self._core.tsc_hz(), 1e-9)
        info, totals, cleared = self._core.worker(worker), self._core.totals(worker), self._totals[worker]
        now, samples = self._read(worker), self._samples[worker]
        window, second = samples[0], _before(samples, now.tsc - self._core.tsc_hz())
        calls, ticks = now.calls - window.calls, now.tsc - second.tsc
        nodes = [_since(node, self._nodes[worker].get(node.name)) for node in self._core.node_stats(worker)]
        return WorkerRuntime(
            index=worker + 1,
            name=info.name,
            cpu=info.cpu,
            time_s=time_s,
            vectors_per_call=(now.vectors - window.vectors) / calls if calls else 0.0,
            loops_per_s=(now.loops - second.loops) * self._core.tsc_hz() / ticks if ticks else 0.0,
            in_pps=(totals.rx_packets - cleared.rx_packets) / time_s,
            out_pps=(totals.tx_packets - cleared.tx_packets) / time_s,
            drop_pps=(totals.drops - cleared.drops) / time_s,
            punt_pps=(totals.punts - cleared.punts) / time_s,
            nodes=tuple(sorted((node for node in nodes if node.calls), key=lambda node: node.name)),
        )

    def _read(self, worker: int) -> _Sample:
        inner = [node for node in self._core.node_stats(worker) if not node.polling]
        return _Sample(
            self._core.tsc(),
            self._core.totals(worker).loops,
            sum(node.calls for node in inner),
            sum(node.vectors for node in inner),
        )


def _before(samples: Sequence[_Sample], tsc: int) -> _Sample:
    """The newest sample not younger than `tsc`, or the oldest."""
    return next((sample for sample in reversed(samples) if sample.tsc <= tsc), samples[0])


def _since(now: NodeStats, cleared: NodeStats | None) -> NodeStats:
    if cleared is None:
        return now
    return replace(
        now,
        calls=now.calls - cleared.calls,
        vectors=now.vectors - cleared.vectors,
        suspends=now.suspends - cleared.suspends,
        clocks=now.clocks - cleared.clocks,
    )
