"""What a device told over some intervals, as facts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wirespeed.explain.facts import Box, Cpu, Worker, worker_of
from wirespeed.results.dut import DutFacts, DutTelemetry, NodeCost


def workers_told(told: Sequence[DutTelemetry], place: str) -> tuple[Worker, ...]:
    """Each worker over all those samples."""
    names = dict.fromkeys(worker.name for one in told for worker in one.workers)
    found = []
    for name in names:
        rows = [worker for one in told for worker in one.workers if worker.name == name]
        nodes: dict[str, list[int]] = {}
        for row in rows:
            for node in row.nodes:
                sums = nodes.setdefault(node.name, [0, 0, 0, 0])
                for at, value in enumerate((node.calls, node.vectors, node.clocks, node.suspends)):
                    sums[at] += value
        absences = [row.absent_s for row in rows if row.absent_s is not None]
        found.append(
            worker_of(
                name,
                sum(row.interval_s for row in rows),
                tuple(NodeCost(node, *sums) for node, sums in nodes.items()),
                source=place,
                tsc_hz=rows[0].tsc_hz or None,
                absent_s=sum(absences) if absences else None,
            )
        )
    return tuple(found)


def box_of(dut: Mapping[str, Any], workers: Sequence[Worker], source: str) -> Box:
    facts = DutFacts.from_json(dut) if dut else DutFacts("", "")
    system = {"router": "wirespeed", "linux": "linux", "vpp": "vpp"}.get(facts.kind, "")
    return Box(
        name=facts.name,
        system=system,
        cores=len(facts.cpus) or None,
        workers=len(workers) or None,
        hz=workers[0].tsc_hz if workers else None,
        firewall=True if facts.details.get("pf") == "on" or facts.details.get("nftables") else None,
        source=source,
    )


def cpus_told(told: Sequence[DutTelemetry]) -> tuple[Cpu, ...]:
    shares = [one.cpu_percent for one in told if one.cpu_percent]
    if not shares:
        return ()
    kinds = dict.fromkeys(kind for share in shares for kind in share)
    return (Cpu("its CPUs", {kind: sum(s.get(kind, 0.0) for s in shares) / len(shares) for kind in kinds}),)


def counts(groups: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for group in groups:
        total.update(group)
    return dict(total)


def cycles_of(workers: Sequence[Worker]) -> float | None:
    """Ticks a packet without polling, of all workers together."""
    packets = sum(worker.packets for worker in workers)
    return sum(worker.clocks - worker.polling_clocks for worker in workers) / packets if packets else None
