"""The DUT does not know where to send packets: no route, no neighbour, or a route that says so.

Linux counts nothing while it waits for a neighbour. Requests for one (ARP or neighbour solicitations) together with
received packets that were not sent are evidence too.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import NO_NEXT_HOP
from wirespeed.explain.evidence import FAIR, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "no-next-hop"
_NOTHING = 0.01
"""Share of a direction that passes with a missing neighbour. An occasional new resolution costs nothing."""


def look(case: Case) -> CauseFinding | None:
    pieces = [*named(case, *NO_NEXT_HOP), *_asks(case)]
    if not pieces:
        return None
    return CauseFinding(
        NAME,
        f"the DUT has no route or neighbour for them: {pieces[0].text}",
        tuple(pieces),
        next="`show ip fib`, `show ip neighbors`: a static neighbour for the tester's address, routes for its prefixes",
    )


def _asks(case: Case) -> list[Evidence]:
    asked = sum(count for kind, count in case.foreign.items() if kind in ("arp", "nd"))
    loss = case.load.loss_ratio or 0.0
    rates = case.load.by_direction
    nothing = loss >= 1 - _NOTHING or (len(rates) > 1 and min(rates) <= _NOTHING * max(rates))
    inside = case.lost_inside
    if not asked or not nothing or (inside is not None and inside < 1 - 2 * _NOTHING):
        return []
    text = f"it asks for neighbours ({asked:,} ARP or ND frames), and {share_text(loss)} did not come back"
    return [Evidence(text, STRONG + FAIR if inside is not None else STRONG, "frames of others")]
