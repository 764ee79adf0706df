"""A wire that loses at all loads: a dirty or failing module, a bad cable, a duplex fault.

A device that is too slow loses more as load grows. One share lost at the least load as at the highest, and by nobody's
counter but the receiver's CRC, is a wire.
"""

from __future__ import annotations

from wirespeed.explain.evidence import AGAINST, FAIR, PROOF, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.results.figures import loss_text, rate_text

NAME = "bad-wire"
_LEAST_LOSS = 2e-5
_LOW_LOAD = 0.5
"""Of the highest load: up to there a device that is too slow loses nothing."""
_ALIKE = 3.0
_STEPS = 4


def look(case: Case) -> Finding | None:
    crc = case.dropped("crc", "rx err", "alignment", "frame error", "fcs")
    pieces = []
    if crc:
        pieces.append(Evidence(f"{crc:,} frames with a bad checksum", PROOF, "drops by reason"))
    pieces += _constant(case)
    if not pieces:
        return None
    named = sum(case.drops.values()) - crc
    if case.lost_packets and named > 0.5 * case.lost_packets:
        pieces.append(Evidence(f"the device itself counted {named:,} drops", AGAINST, "drops by reason"))
    return Finding(
        NAME,
        "a share is lost at all loads: a wire, a module or a cable",
        tuple(pieces),
        missing=() if crc else ("CRC counters of both ends",),
        next="another cable and module; RX power (`inspect --optics`); CRC counters of both ends",
    )


def _constant(case: Case) -> list[Evidence]:
    steps = [step for step in case.steps if step.offered_pps > 0]
    if len(steps) < _STEPS:
        return []
    highest = steps[-1].offered_pps
    low = [step for step in steps if step.offered_pps <= _LOW_LOAD * highest]
    if len(low) < 2:
        return []
    below = 1 - sum(s.received_pps for s in low) / sum(s.offered_pps for s in low)
    high = [step for step in steps if step.offered_pps > _LOW_LOAD * highest]
    above = 1 - sum(s.received_pps for s in high) / sum(s.offered_pps for s in high)
    if below < _LEAST_LOSS:
        return []
    lossy = sum(step.received_pps < step.offered_pps * (1 - below / _ALIKE) for step in low)
    text = f"{loss_text(below)} lost up to {rate_text(_LOW_LOAD * highest)}, {loss_text(above)} beyond"
    if above / below <= _ALIKE and lossy >= 0.8 * len(low):
        return [Evidence(text, STRONG + FAIR, case.load.source)]
    return [Evidence(text, AGAINST, case.load.source)]
