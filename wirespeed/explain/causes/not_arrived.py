"""The load did not reach the DUT: its own counters have almost none of the offered packets.

Possible reasons are another port, a VLAN or MAC address that the NIC filters, a cable, or counters of another time. The
DUT's behaviour with the few packets that it received shows nothing about the load.
"""

from __future__ import annotations

from wirespeed.cases.facts import NOT_ARRIVED, Case
from wirespeed.explain.causes._preemption import longest_preemption
from wirespeed.explain.evidence import PROOF, CauseFinding, Evidence
from wirespeed.results.figures import rate_text

NAME = "not-arrived"
_AWAY = 0.4


def look(case: Case) -> CauseFinding | None:
    share = case.arrived_share
    if share is None or share >= NOT_ARRIVED or not case.is_short:
        return None
    if (longest_preemption(case) or 0.0) > _AWAY:
        return None  # the router did not look
    packets = sum(worker.packets for worker in case.workers) if case.workers else case.in_packets or 0
    seconds = max((worker.interval_s for worker in case.workers), default=case.interval_s or 0.0)
    text = f"{packets:,} packets in {seconds:,.4g} s came in, of {rate_text(case.load.offered_pps)} offered"
    source = case.workers[0].source if case.workers else case.load.source
    return CauseFinding(
        NAME,
        f"almost nothing of the load reached the DUT: {text}",
        (Evidence(text, PROOF, source),),
        next="is it the port that the tester sends to, and are the counters of the time of the test? `show interface`, "
        "`show hardware-interfaces`, the NIC's own counters",
    )
