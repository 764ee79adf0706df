"""All CPUs that forward have no time to spare.

Workers with vectors of 256, CPUs of a kernel without idle time, or as many times what one flow makes on one core as
there are cores.
"""

from __future__ import annotations

from wirespeed.explain.causes._sizes import same_rate_at_other_size
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.results.figures import rate_text

NAME = "all-cpus"
_IDLE_PERCENT = 5.0
_FORWARDING_PERCENT = 60.0
"""Interrupts, softirqs and the kernel: the rest of a busy CPU is somebody's program, and forwarding goes first."""
_LEAST, _MOST = 0.75, 1.2
"""Of cores times one core's rate: shared caches and locks take a part of it."""


def look(case: Case) -> Finding | None:
    if not case.may_be_short:
        return None
    pieces = [*_workers(case), *_cpus(case), *_cores(case)]
    if not pieces:
        return None
    return Finding(
        NAME,
        "CPU-bound: every core that forwards is busy",
        tuple(pieces),
        missing=() if case.workers or case.cpus else ("time by CPU under load",),
        next="cost by node or function (`show runtime`, `perf top`); fewer features; a faster CPU",
    )


def _workers(case: Case) -> list[Evidence]:
    if not case.workers:
        return []
    full = [worker for worker in case.workers if worker.is_saturated]
    count = max(len(case.workers), case.box.workers or 0)
    text = f"{len(full)} of {count} workers saturated"
    if len(full) == count:
        # A single worker is all there is.
        return [Evidence(text, STRONG + (HINT if count > 1 else -HINT), case.workers[0].source)]
    return [Evidence(text, EXCLUDED, case.workers[0].source)]


def _cpus(case: Case) -> list[Evidence]:
    if not case.cpus:
        return []
    if case.box.is_kernel and max(cpu.kernel_percent for cpu in case.cpus) < _FORWARDING_PERCENT:
        most = max(cpu.kernel_percent for cpu in case.cpus)
        return [Evidence(f"a kernel's own work takes {most:.3g} % of a CPU at the most", EXCLUDED, "CPU time")]
    idlest = max(case.cpus, key=lambda cpu: cpu.idle_percent)
    text = f"the idlest CPU, {idlest.name}, was idle for {idlest.idle_percent:.3g} %"
    return [Evidence(text, STRONG if idlest.idle_percent <= _IDLE_PERCENT else AGAINST, "CPU time")]


def _cores(case: Case) -> list[Evidence]:
    """A kernel that spreads flows over its cores makes so many times what it makes of one."""
    one, cores = case.other(flows="one"), case.box.cores
    if one is None and (same := same_rate_at_other_size(case)) is not None and same[1]:
        one = next((load for load in case.others if load.flows == "one" and load.directions == 1), None)
    if one is None or not cores or cores < 2 or not case.box.is_kernel or case.load.flows != "many":
        return []
    ratio = case.load.received_pps / one.received_pps / one.directions
    text = f"{ratio:.2g} times the {rate_text(one.received_pps)} of one flow, on {cores} cores"
    fits = _LEAST <= ratio / cores <= _MOST
    return [Evidence(text, STRONG if fits else AGAINST if ratio < 1.5 else FAIR, case.load.source)]
