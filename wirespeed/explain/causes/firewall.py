"""A firewall looks at each packet: pf or nftables rules cost a third to two thirds of the rate of a small CPU."""

from __future__ import annotations

from wirespeed.explain.evidence import FAIR, HINT, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.results.figures import rate_text

NAME = "firewall"


def look(case: Case) -> Finding | None:
    if not case.box.firewall or not case.is_short:
        return None
    pieces = [Evidence("a firewall is on", FAIR, case.box.source)]
    states = case.dropped("pf congestion", "state limit", "nf_conntrack", "table full")
    if states:
        pieces.append(Evidence(f"{states:,} packets dropped by it", STRONG, "drops by reason"))
    without = next((load for load in case.others if "firewall off" in load.name or "pf off" in load.name), None)
    if without is not None:
        ratio = without.received_pps / case.load.received_pps
        text = f"{without.name}: {rate_text(without.received_pps)}"
        pieces.append(Evidence(text, STRONG if ratio > 1.15 else HINT - FAIR, without.source))
    return Finding(NAME, "the firewall takes a part of each packet's time", tuple(pieces), next="the same test, it off")
