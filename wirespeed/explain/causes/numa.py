"""Packets cross between CPU sockets: the NIC is on one NUMA node and its worker on another."""

from __future__ import annotations

from wirespeed.explain.evidence import FAIR, HINT, Evidence, Finding
from wirespeed.explain.facts import Case

NAME = "numa"


def look(case: Case) -> Finding | None:
    crossing = sorted(name for name, count in case.events.items() if name.startswith("numa crossing") and count)
    if not crossing or not case.is_short:
        return None
    pieces = [Evidence(crossing[0], FAIR + FAIR, "inspect")]
    if any(worker.is_saturated for worker in case.busy):
        pieces.append(Evidence("the worker is saturated", HINT, case.busy[0].source))
    return Finding(
        NAME,
        f"packets cross between sockets: {crossing[0]}",
        tuple(pieces),
        next="a worker on the NIC's own node (`inspect` names it)",
    )
