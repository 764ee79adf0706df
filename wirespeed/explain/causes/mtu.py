"""Packets are longer than the next link takes: dropped, answered or cut.

A packet that is cut comes back as two and more, so that more came back than was sent, and none of it is what was sent.
"""

from __future__ import annotations

from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import MTU
from wirespeed.explain.evidence import FAIR, HINT, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case
from wirespeed.explain.words import share_text

NAME = "mtu"
_CUT = ("packets fragmented", "fragoks")
_LEAST = 0.05
"""Of what was offered: fewer are packets of others."""


def look(case: Case) -> Finding | None:
    pieces = [*named(case, *MTU), *_cut(case)]
    errors = sum(count for kind, count in case.foreign.items() if "icmp" in kind)
    if pieces and errors:
        pieces.append(Evidence(f"{errors:,} ICMP errors came back", FAIR, "frames of others"))
    if not pieces:
        return None
    return Finding(
        NAME,
        f"packets do not fit the MTU: {pieces[0].text}",
        tuple(pieces),
        next="the MTU of each interface against the frame less 18 bytes",
    )


def _cut(case: Case) -> list[Evidence]:
    cut = sum(count for event, count in case.events.items() if any(word in event.lower() for word in _CUT))
    if not cut:
        return []
    offered = (case.load.offered_pps or 0.0) * (case.interval_s or 0.0)
    share = min(1.0, cut / offered) if offered else None
    part = "" if share is None else f", {share_text(share)} of what was offered"
    known = share is None or share >= _LEAST
    found = [Evidence(f"{cut:,} packets were cut to fragments{part}", STRONG if known else HINT, "events")]
    if case.load.surplus_share >= _LEAST:
        more = share_text(case.load.surplus_share)
        found.append(Evidence(f"{more} more came back than was sent", FAIR, case.load.source))
    return found
