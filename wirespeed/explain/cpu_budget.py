"""The time that a device's CPUs have for a packet, by what they do with it, over the load. Pure.

A polling worker always burns its clock: packets a second share out its ticks, and what its nodes do not need is spent
on looks at queues that are empty. What such a look costs is told by the load at which it cost least; as many of them
as found nothing are idle time, and what the input node took beyond is work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.explain.facts import Cpu, Step, Worker
from wirespeed.results.dut import INPUT_NODES
from wirespeed.results.node_classes import NODE_CLASSES, class_of

AWAY, OUTSIDE, IDLE = "away", "between nodes", "idle"
_OF_WORKERS = (*NODE_CLASSES, OUTSIDE, AWAY, IDLE)
_OF_KERNELS = ("irq", "softirq", "system", "user", "nice", AWAY, IDLE)
_KERNEL_NAMES = {"steal": AWAY, "iowait": IDLE}
_MOST_BARS = 8


@dataclass(frozen=True)
class Part:
    """`share` is of all the time, `ticks` those of it a packet, None where no clock is known."""

    name: str
    share: float
    ticks: float | None


@dataclass(frozen=True)
class Bar:
    """One load, all directions together. `ticks` are what a packet may take before the CPUs are full, `seconds` the
    same as time."""

    offered_pps: float
    received_pps: float
    seconds: float
    ticks: float | None
    parts: tuple[Part, ...]

    @property
    def idle_share(self) -> float:
        return sum(part.share for part in self.parts if part.name == IDLE)


@dataclass(frozen=True)
class CpuBudget:
    """`of` says whose time it is; the bars rise with the load."""

    of: str
    bars: tuple[Bar, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parts that any bar has, in the order of a packet's way."""
        there = {part.name for bar in self.bars for part in bar.parts}
        return tuple(name for name in dict.fromkeys((*_OF_WORKERS, *_OF_KERNELS)) if name in there)


def cpu_budget(steps: Sequence[Step]) -> CpuBudget | None:
    """At up to eight loads, evenly spread; None where the device told nothing of its CPUs."""
    known = sorted((step for step in steps if step.received_pps > 0), key=lambda step: step.offered_pps)
    polling = [step for step in known if any(worker.packets for worker in step.workers)]
    if polling:
        empty_ticks = _empty_look(polling)
        bars = [_of_workers(step, empty_ticks) for step in _spread(polling)]
        count = max(len(step.workers) for step in polling)
        return CpuBudget(f"{count} worker{'s' if count > 1 else ''}", tuple(bars))
    timed = [step for step in known if step.cpus]
    if not timed:
        return None
    count = max(len(step.cpus) for step in timed)
    return CpuBudget(f"{count} CPU{'s' if count > 1 else ''}", tuple(_of_kernel(step) for step in _spread(timed)))


def _spread(steps: Sequence[Step]) -> list[Step]:
    """Those nearest to an even spread over the load, the highest among them."""
    top = steps[-1].offered_pps
    wanted = [top * number / _MOST_BARS for number in range(1, _MOST_BARS + 1)]
    nearest = (min(steps, key=lambda step: abs(step.offered_pps - pps)) for pps in wanted)
    return list({id(step): step for step in nearest}.values())


def _empty_look(steps: Sequence[Step]) -> float:
    """Ticks of a look at a queue, by the worker and load for which one cost least."""
    looks = [worker.polling_clocks / worker.polls for step in steps for worker in step.workers if worker.polls]
    return min(looks, default=0.0)


def _of_workers(step: Step, empty_ticks: float) -> Bar:
    spent: Counter[str] = Counter()
    for worker in step.workers:
        spent.update(_ticks(worker, empty_ticks))
    total = sum(spent.values())
    packets = sum(worker.packets for worker in step.workers)
    interval_s = max(worker.interval_s for worker in step.workers)
    parts = (Part(name, spent[name] / total, spent[name] / packets) for name in _OF_WORKERS if spent[name] > 0)
    return Bar(
        step.offered_pps,
        step.received_pps,
        len(step.workers) * interval_s / packets,
        total / packets,
        tuple(parts),
    )


def _ticks(worker: Worker, empty_ticks: float) -> Mapping[str, float]:
    """All of a worker's ticks by what they went into."""
    spent: Counter[str] = Counter()
    for node in worker.nodes:
        spent["input" if node.name in INPUT_NODES else class_of(node.name)] += node.clocks
    empty = max(0, worker.polls - worker.calls)
    spent[IDLE] = min(worker.polling_clocks, empty * empty_ticks)
    spent["input"] -= spent[IDLE]
    if worker.tsc_hz:
        rest = max(0.0, worker.interval_s * worker.tsc_hz - worker.clocks)
        spent[AWAY] = min(rest, (worker.absent_s or 0.0) * worker.tsc_hz)
        spent[OUTSIDE] = rest - spent[AWAY]
    return spent


def _of_kernel(step: Step) -> Bar:
    """CPU time by what Linux and FreeBSD call it."""
    spent: Counter[str] = Counter()
    for cpu in step.cpus:
        spent.update(_percent(cpu))
    total = sum(spent.values())
    parts = (Part(name, spent[name] / total, None) for name in _OF_KERNELS if spent[name] > 0)
    return Bar(step.offered_pps, step.received_pps, len(step.cpus) / step.received_pps, None, tuple(parts))


def _percent(cpu: Cpu) -> Mapping[str, float]:
    found: Counter[str] = Counter()
    for kind, percent in cpu.percent.items():
        name = _KERNEL_NAMES.get(kind, kind)
        found[name if name in _OF_KERNELS else "system"] += percent
    return found
