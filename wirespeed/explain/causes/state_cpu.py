"""One CPU makes all new states, and the others are idle.

A NIC that spreads by addresses gives all flows of one address pair to one queue; VPP chooses the worker of a new flow
by its source address alone. Evidence: one CPU took up nearly all packets (one row of softnet_stat, one worker of VPP),
and was busy or had a full backlog. Counters of the state table that explain the loss speak against it.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import LOST, SOURCE, explained
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import percent_text

NAME = "state-cpu"
_NEARLY_ALL = 0.9
_BUSY_PERCENT, _IDLE_PERCENT = 90.0, 50.0
_EXPLAINED = 0.5


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or (facts.lost <= LOST * facts.flows and not case.is_short):
        return None
    packets = _packets(case)
    total = sum(packets.values())
    if len(packets) < 2 or not total:
        return None
    name = max(packets, key=lambda one: packets[one])
    share = packets[name] / total
    text = f"{name} took up {share_text(share)} of the packets, of {len(packets)} CPUs"
    if share < _NEARLY_ALL:
        return CauseFinding(NAME, "", (Evidence(text, AGAINST, SOURCE),))
    behind, busy = _behind(case), _busy(case, name)
    if behind:
        busy = [piece for piece in busy if piece.bits > 0]  # what it had no time for was lost, whoever had the time
    is_busy = any(piece.bits == STRONG for piece in (*behind, *busy))
    pieces = [Evidence(text, STRONG if is_busy else FAIR, SOURCE), *behind, *busy]
    if explained(facts) >= _EXPLAINED:
        pieces.append(Evidence("counters of the state table explain the loss", EXCLUDED, SOURCE))
    return CauseFinding(
        NAME,
        f"{name} makes all new states",
        tuple(pieces),
        next="many addresses on the initiator's side; a hash over ports; queues and their interrupts one a CPU",
    )


def _behind(case: Case) -> list[Evidence]:
    """Packets that another CPU handed over and this one had no room for."""
    count = sum(count for event, count in case.events.items() if "softnet dropped" in event)
    return [Evidence(f"{count:,} packets dropped by its full backlog", STRONG, "softnet_stat")] if count else []


def _packets(case: Case) -> dict[str, int]:
    """Packets by the CPU or worker that received them; only forwarding CPUs, if they are known."""
    if case.workers:
        return {worker.name: worker.packets for worker in case.workers}
    table = None if case.states is None else case.states.table
    counted = {} if table is None else table.cpu_packets
    own = {f"cpu{cpu}" for cpu in case.dut.cpus}
    return {name: count for name, count in counted.items() if not own or name in own}


def _busy(case: Case, name: str) -> list[Evidence]:
    """True if that CPU had no time to spare and others had."""
    worker = next((one for one in case.workers if one.name == name), None)
    if worker is not None:
        return [Evidence(worker.finds, STRONG if worker.is_saturated else AGAINST, worker.source)]
    mine = next((cpu for cpu in case.cpus if cpu.name == name), None)
    if mine is None:
        return []
    percent = mine.kernel_percent
    text = f"the kernel had {percent_text(percent)} % of {name}"
    pieces = [Evidence(text, STRONG if percent >= _BUSY_PERCENT else AGAINST, "CPU time")]
    idle = [cpu for cpu in case.cpus if cpu.idle_percent >= _IDLE_PERCENT]
    if idle:
        pieces.append(Evidence(f"{idle[0].name} idle for {percent_text(idle[0].idle_percent)} %", HINT, "CPU time"))
    return pieces
