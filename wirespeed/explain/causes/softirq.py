"""Linux cannot keep up in its softirqs: the budget ends before the queue does, or the backlog is full.

`time_squeeze` counts rounds that ended with packets left; `softnet dropped` counts packets that the backlog of another
CPU did not take (RPS). A CPU that is always in softirq is saturated, whatever the others do.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import percent_text

NAME = "softirq"
_BUSY_PERCENT = 90.0
_IDLE_PERCENT = 30.0


def look(case: Case) -> CauseFinding | None:
    if case.dut.system not in ("linux", "") or not case.is_short:
        return None
    squeezed = sum(count for event, count in case.events.items() if "squeeze" in event)
    backlog = sum(count for event, count in case.events.items() if "softnet dropped" in event)
    busy = [cpu for cpu in case.cpus if cpu.percent.get("softirq", 0.0) >= _BUSY_PERCENT]
    idle = [cpu for cpu in case.cpus if cpu.idle_percent >= _IDLE_PERCENT]
    pieces = []
    if squeezed:
        pieces.append(Evidence(f"softirq budget ended {squeezed:,} times with packets left", FAIR, "softnet_stat"))
    if backlog:
        pieces.append(Evidence(f"{backlog:,} packets dropped by a full backlog", STRONG, "softnet_stat"))
    if busy:
        pieces.append(
            Evidence(f"{busy[0].name} in softirq for {percent_text(busy[0].percent['softirq'])} %", STRONG, "CPU time")
        )
    elif case.cpus:
        pieces.append(Evidence("no CPU is in softirq all the time", AGAINST, "CPU time"))
    if busy and idle:
        pieces.append(Evidence(f"{idle[0].name} idle for {percent_text(idle[0].idle_percent)} %", HINT, "CPU time"))
    if not pieces:
        return None
    where = f"on {busy[0].name}" if busy else ""
    spread = ": the packets are not spread over the CPUs" if busy and idle else ""
    return CauseFinding(
        NAME,
        f"Linux is saturated in its softirqs {where}{spread}".replace("  ", " "),
        tuple(pieces),
        missing=() if case.cpus else ("time by CPU",),
        next="RSS queues and their IRQs one a CPU, irqbalance off; RPS where there is one queue; many flows",
    )
