"""One worker is saturated, and the others are not.

If the others hardly have packets, their distribution is the cause and this its effect (`queues`, `placement`). Vectors
of 256 mean that more packets are always waiting. Cycles per packet times packets per second is then the clock of the
CPU, which confirms the reading.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, Worker
from wirespeed.explain.arithmetic import core_pps
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import idle_text
from wirespeed.results.figures import rate_text

NAME = "worker"
_CLOCK = 0.05
IDLE_PART = 0.1
"""Share of the busiest worker's packets. A worker with fewer is no help, though it has time."""


def look(case: Case) -> CauseFinding | None:
    if not case.may_be_short:
        return None
    if not case.busy:
        return _by_cycles(case)
    full = [worker for worker in case.busy if worker.is_saturated]
    source = case.busy[0].source
    if not full:
        deepest = max(case.busy, key=lambda worker: worker.vectors)
        if deepest.has_time:
            return CauseFinding(NAME, "", (Evidence(idle_text(deepest), EXCLUDED, source),))
        return CauseFinding(NAME, "", (Evidence(deepest.finds, EXCLUDED if deepest.is_idle else AGAINST, source),))
    pieces = _saturated(full[0], case)
    count = max(len(case.workers), case.dut.workers or 0)
    if len(full) == count > 1:
        pieces.append(Evidence("every worker is saturated", AGAINST, source))
    elif count > 1:
        pieces.append(Evidence(f"{len(full)} of {count} workers is saturated", HINT, source))
    first = full[0]
    idle = [worker.name for worker in case.workers if worker.pps <= IDLE_PART * first.pps]
    if idle:
        text = f"{', '.join(idle)} hardly had packets: whatever deals them out is why"
        pieces.append(Evidence(text, -2 * FAIR, source))
    return CauseFinding(
        NAME,
        f"CPU-bound on one worker: {first.cycles:.4g} cycles per packet at {rate_text(first.pps)}, no time to spare",
        tuple(pieces),
        next="a second worker with a queue of its own; `explain --against` a test with more queues",
    )


def _by_cycles(case: Case) -> CauseFinding | None:
    """The clock of one core, of a test whose cycles were typed without a `show runtime`."""
    cores = case.cores_used
    if cores is None:
        return None
    text = f"{case.cycles_sum}: {cores:.3g} of one core"
    if abs(cores - 1) > _CLOCK:
        return CauseFinding(NAME, "", (Evidence(text, EXCLUDED if cores < 1 else AGAINST, case.load.source),))
    return CauseFinding(
        NAME,
        f"CPU-bound on one worker: {text}, no time to spare",
        (Evidence(text, STRONG + HINT, case.load.source),),
        missing=("packets per call (`show runtime`)",),
        next="a second worker with a queue of its own; `explain --against` a test with more queues",
    )


def _saturated(worker: Worker, case: Case) -> list[Evidence]:
    pieces = [Evidence(worker.finds, STRONG + HINT, worker.source)]
    hz = worker.tsc_hz or case.dut.hz
    if hz and worker.cycles:
        share = worker.effective_hz / hz
        text = (
            f"{worker.cycles:.4g} cycles × {rate_text(worker.pps)} = {worker.effective_hz / 1e9:.3g} GHz of "
            f"{hz / 1e9:.3g}: one core can do {rate_text(core_pps(hz, worker.cycles))} at that cost"
        )
        pieces.append(Evidence(text, FAIR if abs(share - 1) <= _CLOCK else 0.0, worker.source))
    return pieces
