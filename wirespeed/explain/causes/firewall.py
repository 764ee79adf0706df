"""A firewall inspects each packet: pf or nftables rules cost a third to two thirds of the rate of a small CPU.

The firewall may also drop packets. If its rules have no counters, the drops are counted nowhere: packets that a kernel
received and lost without a counter were most likely dropped by a rule.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named, share_of_lost
from wirespeed.explain.causes._reasons import FIREWALL
from wirespeed.explain.evidence import FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import rate_text

NAME = "firewall"
_UNCOUNTED = 0.9


def look(case: Case) -> CauseFinding | None:
    dropped = named(case, *FIREWALL)
    if not (case.dut.firewall or dropped) or not case.is_short:
        return None
    pieces = [Evidence("a firewall is on", FAIR, case.dut.source)] if case.dut.firewall else []
    pieces += [*dropped, *_uncounted(case)]
    without = next((load for load in case.others if "firewall off" in load.name or "pf off" in load.name), None)
    if without is not None:
        ratio = without.received_pps / case.load.received_pps if case.load.received_pps else 0.0
        text = f"{without.name}: {rate_text(without.received_pps)}"
        pieces.append(Evidence(text, STRONG if ratio > 1.15 else HINT - FAIR, without.source))
    sentence = "the firewall takes a part of each packet's time"
    if dropped or _uncounted(case):
        sentence = "the firewall drops packets"
        if dropped:
            sentence += f": {dropped[0].text}"
    return CauseFinding(
        NAME, sentence, tuple(pieces), next="the same test with the firewall off; its rules with counters"
    )


def _uncounted(case: Case) -> list[Evidence]:
    if not (case.dut.firewall and case.dut.is_kernel and case.tells_drops and case.lost_packets):
        return []
    if case.states is not None:
        return []  # the state table's counters tell
    share = share_of_lost(case, sum(case.drops.values())) or 0.0
    if 1 - share < _UNCOUNTED:
        return []
    inside = case.lost_inside
    if inside is not None and inside < _UNCOUNTED:
        return []
    text = f"no counter of the kernel's has {share_text(1 - share)} of what was lost"
    return [Evidence(text, STRONG, "drops by reason")]
