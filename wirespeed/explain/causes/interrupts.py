"""FreeBSD: interrupt threads or netisr queues are saturated.

QDrops counts packets that a netisr queue did not take; a queue's interrupt thread at 100 % is a saturated queue.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import NETISR
from wirespeed.explain.evidence import HINT, STRONG, CauseFinding, Evidence

NAME = "interrupts"
_BUSY_PERCENT = 95.0


def look(case: Case) -> CauseFinding | None:
    if case.dut.system != "freebsd" or not case.is_short:
        return None
    queued = named(case, *NETISR)
    busy = [cpu for cpu in case.cpus if cpu.percent.get("irq", cpu.percent.get("interrupt", 0.0)) >= _BUSY_PERCENT]
    idle = [cpu for cpu in case.cpus if cpu.idle_percent > 30]
    pieces = list(queued)
    if busy:
        pieces.append(Evidence(f"{len(busy)} of {len(case.cpus)} CPUs in interrupts all the time", STRONG, "CPU time"))
    if busy and idle:
        pieces.append(Evidence(f"{len(idle)} CPUs are idle", HINT, "CPU time"))
    if not pieces:
        return None
    return CauseFinding(
        NAME,
        "netisr queues drop" if queued else "the queues' interrupt threads are saturated",
        tuple(pieces),
        next="`net.isr.dispatch=direct`; queues by `dev.X.N.iflib.override_nrxqs`; smaller rings on small caches",
    )
