"""Packets cross between CPU sockets: the NIC is on one NUMA node and its worker on another."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import FAIR, HINT, CauseFinding, Evidence

NAME = "numa"


def look(case: Case) -> CauseFinding | None:
    if not case.machine.crossings or not case.is_short:
        return None
    first = case.machine.crossings[0]
    text = f"{first.nic} hangs on node {first.nic_node}, CPU {first.cpu} of its worker on node {first.cpu_node}"
    pieces = [Evidence(text, FAIR + FAIR, first.source)]
    if any(worker.is_saturated for worker in case.busy):
        pieces.append(Evidence("the worker is saturated", HINT, case.busy[0].source))
    return CauseFinding(
        NAME,
        f"packets cross between sockets: {text}",
        tuple(pieces),
        next="a worker on the NIC's own node (`inspect` names it)",
    )
