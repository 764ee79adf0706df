"""The transmit ring was full: the device handed packets to a NIC, or a shared-memory peer, that had no slot free.

It is the line behind it if that is full; else the ring is shorter than what a worker sends at once, or its reader slow.
"""

from __future__ import annotations

from wirespeed.explain.causes._drops import share_of_lost, weight
from wirespeed.explain.causes._reasons import TX_FULL
from wirespeed.explain.evidence import EXCLUDED, FAIR, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.explain.words import share_text

NAME = "tx-ring"


def look(case: Case) -> Finding | None:
    count = case.dropped(*TX_FULL)
    if not case.drops:
        return None
    if not count:
        return Finding(NAME, "", (Evidence("no packet was dropped for want of a TX slot", EXCLUDED),))
    share = share_of_lost(case, count)
    text = f"{count:,} packets found no free TX slot"
    if share is not None:
        text += f", {share_text(share)} of what was lost"
    rates = [
        Evidence(f"{worker.name}: in {worker.in_pps:.4g}, out {worker.out_pps:.4g} pps", FAIR, worker.source)
        for worker in case.busy
        if worker.in_pps and worker.out_pps is not None and worker.out_pps < 0.995 * worker.in_pps
    ]
    slots = case.box.tx_slots
    return Finding(
        NAME,
        f"the TX ring{f' of {slots} slots' if slots else ''} is full: {text}",
        (Evidence(text, weight(case, count), "drops by reason"), *rates),
        next="more TX descriptors (`num-tx-desc`, `ethtool -G`); if the line behind it is full, it is the line",
    )
