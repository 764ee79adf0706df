"""The time that a device's CPUs have for a packet, by what they do with it, over the load. Pure.

A polling worker always burns its clock: packets per second share out its ticks, and what its nodes do not need is spent
on looks at queues that are empty. What such a look costs is told by the load at which it cost least; as many of them
as found nothing are idle time, and what the input node took beyond is work. While others have its CPU the clock goes on
in whichever node it is, so that this time is taken out of all of them alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isfinite
from statistics import fmean

from wirespeed.cases.facts import CaseStep, CpuShares, Worker, merged_workers
from wirespeed.results.dut import INPUT_NODES
from wirespeed.results.node_classes import NODE_CLASSES, class_of

AWAY, OUTSIDE, IDLE = "away", "between nodes", "idle"
_OF_WORKERS = (*NODE_CLASSES, OUTSIDE, AWAY, IDLE)
_OF_KERNELS = ("irq", "softirq", "system", "user", "nice", AWAY, IDLE)
_KERNEL_NAMES = {"steal": AWAY, "iowait": IDLE}
_MOST_BARS = 8


@dataclass(frozen=True)
class BudgetPart:
    """`share` is of all the time, `ticks` those of it a packet, None where no clock is known."""

    name: str
    share: float
    ticks: float | None

    @property
    def is_work(self) -> bool:
        return self.name not in (OUTSIDE, AWAY, IDLE)


@dataclass(frozen=True)
class BudgetBar:
    """One load, all directions together. `ticks` are what a packet may take before the CPUs are full, `seconds` the
    same as time."""

    offered_pps: float
    received_pps: float
    seconds: float
    ticks: float | None
    parts: tuple[BudgetPart, ...]

    @property
    def idle_share(self) -> float:
        return sum(part.share for part in self.parts if part.name == IDLE)


@dataclass(frozen=True)
class CpuBudget:
    """`of` says whose time it is; the bars rise with the load."""

    of: str
    bars: tuple[BudgetBar, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all parts in any bar, in the order of a packet's path."""
        there = {part.name for bar in self.bars for part in bar.parts}
        order = _OF_KERNELS if self.bars[0].ticks is None else _OF_WORKERS
        return tuple(name for name in order if name in there)


def cpu_budget(steps: Sequence[CaseStep]) -> CpuBudget | None:
    """At up to eight loads, or parts of a ramp; None where the device told nothing of its CPUs."""
    known = sorted((step for step in steps if _is_load(step)), key=lambda step: step.offered_pps)
    polling = _binned([step for step in known if any(worker.packets for worker in step.workers)])
    if polling:
        empty_ticks = _empty_look(polling)
        count = max(len(step.workers) for step in polling)
        of = "the worker" if count == 1 else f"{count} workers"
        return _budget(of, [_of_workers(step, empty_ticks) for step in polling])
    timed = _binned([step for step in known if step.cpus])
    count = max((len(step.cpus) for step in timed), default=0)
    return _budget("the CPU" if count == 1 else f"{count} CPUs", [_of_kernel(step) for step in timed])


def _budget(of: str, bars: Sequence[BudgetBar | None]) -> CpuBudget | None:
    known = tuple(bar for bar in bars if bar is not None)
    return CpuBudget(of, known) if known else None


def _is_load(step: CaseStep) -> bool:
    return step.received_pps > 0 and step.offered_pps > 0 and isfinite(step.offered_pps + step.received_pps)


def _binned(steps: Sequence[CaseStep]) -> list[CaseStep]:
    """Steps of the same eighth of the highest load as one: a sample by itself tells more of the moment."""
    if not steps:
        return []
    top = steps[-1].offered_pps
    grouped = groupby(steps, key=lambda step: min(_MOST_BARS - 1, int(step.offered_pps / top * _MOST_BARS)))
    return [_merged(list(group)) for _, group in grouped]


def _merged(steps: Sequence[CaseStep]) -> CaseStep:
    cpus = dict.fromkeys(cpu.name for step in steps for cpu in step.cpus)
    return CaseStep(
        fmean(step.offered_pps for step in steps),
        fmean(step.received_pps for step in steps),
        workers=merged_workers([step.workers for step in steps]),
        cpus=tuple(_one_cpu([cpu for step in steps for cpu in step.cpus if cpu.name == name]) for name in cpus),
    )


def _one_cpu(rows: Sequence[CpuShares]) -> CpuShares:
    kinds = dict.fromkeys(kind for row in rows for kind in row.percent)
    return CpuShares(rows[0].name, {kind: fmean(row.percent.get(kind, 0.0) for row in rows) for kind in kinds})


def _empty_look(steps: Sequence[CaseStep]) -> float:
    """Ticks of a look at a queue, by the worker and load for which one cost least."""
    looks = [_input_ticks(worker) / worker.polls for step in steps for worker in step.workers if worker.polls]
    return min(looks, default=0.0)


def _input_ticks(worker: Worker) -> int:
    return sum(node.clocks for node in worker.nodes if node.name in INPUT_NODES and node.vectors)


def _of_workers(step: CaseStep, empty_ticks: float) -> BudgetBar | None:
    spent: dict[str, float] = defaultdict(float)
    for worker in step.workers:
        for name, ticks in _ticks(worker, empty_ticks):
            spent[name] += ticks
    packets = sum(worker.packets for worker in step.workers)
    total = sum(ticks for ticks in spent.values() if ticks > 0)
    if packets <= 0 or total <= 0:
        return None
    interval_s = sum(worker.interval_s for worker in step.workers)
    parts = (BudgetPart(name, spent[name] / total, spent[name] / packets) for name in _OF_WORKERS if spent[name] > 0)
    return BudgetBar(step.offered_pps, step.received_pps, interval_s / packets, total / packets, tuple(parts))


def _ticks(worker: Worker, empty_ticks: float) -> Iterator[tuple[str, float]]:
    """All of a worker's ticks by what they went into."""
    total = max(worker.interval_s * (worker.tsc_hz or 0.0), worker.clocks)
    away = min(total, (worker.preempted_s or 0.0) * (worker.tsc_hz or 0.0))
    here = 1 - away / total if total > 0 else 1.0
    looked = min(float(_input_ticks(worker)), max(0, worker.polls - worker.calls) * empty_ticks)
    # Other sources of packets are looked at in each round, and had none.
    polled_in_vain = looked + sum(node.clocks for node in worker.nodes if not node.vectors)
    # A worker that waits for larger vectors is in no node.
    waited = (worker.idle_s or 0.0) * (worker.tsc_hz or 0.0) - polled_in_vain
    waited = max(0.0, min(total - worker.clocks, waited))
    for node in worker.nodes:
        if not node.vectors:
            yield IDLE, node.clocks * here
        else:
            yield class_of(node.name), node.clocks * here
    yield "input", -looked * here
    yield IDLE, looked * here
    yield IDLE, waited * here
    yield OUTSIDE, (total - worker.clocks - waited) * here
    yield AWAY, away


def _of_kernel(step: CaseStep) -> BudgetBar | None:
    """CPU time by what Linux and FreeBSD call it."""
    spent: dict[str, float] = defaultdict(float)
    for cpu in step.cpus:
        for kind, percent in cpu.percent.items():
            name = _KERNEL_NAMES.get(kind, kind)
            spent[name if name in _OF_KERNELS else "system"] += percent
    total = sum(percent for percent in spent.values() if percent > 0)
    if total <= 0:
        return None
    parts = (BudgetPart(name, spent[name] / total, None) for name in _OF_KERNELS if spent[name] > 0)
    return BudgetBar(step.offered_pps, step.received_pps, len(step.cpus) / step.received_pps, None, tuple(parts))
