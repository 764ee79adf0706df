"""All CPUs that forward are saturated.

Evidence: workers with vectors of 256, CPUs of a kernel without idle time, or a total that is the rate of one flow on
one core times the number of cores. Cycles per packet that add up to the clock of all workers confirm it. If polling
workers report nothing, frame sizes are compared: if longer frames fill the line and short ones do not, the limit is per
packet. The workers are then the cause, unless the bus is full, the queues cannot keep all workers busy, or the rate in
one direction equals that in both.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.arithmetic import link_use
from wirespeed.explain.causes._sizes import same_rate_at_other_size
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import percent_text, rate_text

NAME = "all-cpus"
_IDLE_PERCENT = 5.0
_FORWARDING_PERCENT = 60.0
"""Interrupts, softirqs and the kernel: the rest of a busy CPU is somebody's program, and forwarding goes first."""
_CLOCK = 0.1
_SHORT_BYTES = 128
_FULL_LINK, _LINE, _SAME = 0.85, 0.955, 0.08
_LEAST, _MOST = 0.75, 1.2
"""Share of cores times one core's rate: shared caches and locks cost a part of it."""


def look(case: Case) -> CauseFinding | None:
    if not case.may_be_short:
        return None
    pieces = [*_workers(case), *_cpus(case), *_cores(case), *_cycles(case), *_short_packets(case)]
    if not pieces:
        return None
    return CauseFinding(
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
    count = max(len(case.workers), case.dut.workers or 0)
    text = f"{len(full)} of {count} workers saturated"
    if len(full) == count:
        # A single worker is all there is.
        return [Evidence(text, STRONG + (HINT if count > 1 else -HINT), case.workers[0].source)]
    return [Evidence(text, EXCLUDED, case.workers[0].source)]


def _cpus(case: Case) -> list[Evidence]:
    if not case.cpus:
        return []
    if case.dut.is_kernel and max(cpu.kernel_percent for cpu in case.cpus) < _FORWARDING_PERCENT:
        most = max(cpu.kernel_percent for cpu in case.cpus)
        return [
            Evidence(f"a kernel's own work takes {percent_text(most)} % of a CPU at the most", EXCLUDED, "CPU time")
        ]
    idlest = max(case.cpus, key=lambda cpu: cpu.idle_percent)
    text = f"the idlest CPU, {idlest.name}, was idle for {percent_text(idlest.idle_percent)} %"
    return [Evidence(text, STRONG if idlest.idle_percent <= _IDLE_PERCENT else AGAINST, "CPU time")]


def _cores(case: Case) -> list[Evidence]:
    """A kernel that spreads flows over N cores reaches N times the rate of one flow."""
    one_flow, cores = case.other(flows="one"), case.dut.cores
    if one_flow is None and (same := same_rate_at_other_size(case)) is not None and same[1]:
        one_flow = next((load for load in case.others if load.flows == "one" and load.directions == 1), None)
    if one_flow is None or not cores or cores < 2 or not case.dut.is_kernel or case.load.flows != "many":
        return []
    # One flow each way keeps one core each busy.
    core_pps = one_flow.received_pps / one_flow.directions
    ratio = case.load.received_pps / core_pps
    text = f"{ratio:.3g} times the {rate_text(core_pps)} of one flow, on {cores} cores"
    fits = _LEAST <= ratio / cores <= _MOST
    return [Evidence(text, STRONG if fits else AGAINST if ratio < 1.5 else FAIR, case.load.source)]


def _cycles(case: Case) -> list[Evidence]:
    """The clock of as many cores as there are workers, of a test whose cycles were typed without a `show runtime`."""
    cores = case.cores_used
    workers = case.dut.workers or case.dut.cores or 1
    if cores is None or workers < 2 or case.load.one_queue_only:
        return []
    text = f"{case.cycles_sum}: {cores:.3g} of {workers} cores"
    return [Evidence(text, STRONG if abs(cores / workers - 1) <= _CLOCK else AGAINST, case.load.source)]


def _short_packets(case: Case) -> list[Evidence]:
    """Longer packets fill the line over the same cores and bus, short ones do not."""
    mine, dut = case.load, case.dut
    if case.workers or case.cpus or mine.cycles or dut.is_kernel or (dut.workers or 0) < 2 or not mine.frame_bytes:
        return []
    if mine.frame_bytes > _SHORT_BYTES or not _reaches_all(case):
        return []
    if any(use.middle >= _FULL_LINK for link in dut.links if (use := link_use(link, mine)) is not None):
        return []
    both = case.other(directions=3 - mine.directions)
    if both is not None and abs(both.received_pps / mine.received_pps - 1) <= _SAME:
        return []
    longer = next(
        (
            other
            for other in case.others
            if other.directions == mine.directions
            and (other.frame_bytes or 0.0) > 2 * mine.frame_bytes
            and (other.line_share or 0.0) >= _LINE
        ),
        None,
    )
    if longer is None:
        return []
    text = f"{longer.name}: {rate_text(longer.received_pps)} of {longer.frame_bytes:.0f} bytes fill the line, "
    text += f"{rate_text(mine.received_pps)} of {mine.frame_bytes:.0f} do not: a limit per packet"
    return [Evidence(text, STRONG, longer.source)]


def _reaches_all(case: Case) -> bool:
    """True if the load can keep all workers busy, by the known number of queues."""
    queues, workers, ways = case.dut.queues, case.dut.workers or 1, case.load.directions
    if case.load.one_queue_only:
        return ways > 1 and queues is None
    return queues is None or (queues * ways >= workers and queues * ways % workers == 0)
