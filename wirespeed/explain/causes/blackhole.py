"""The DUT has no usable route for the packets and drops them (VPP's null-node).

A missing route, a route `via drop` or `unreachable`, and an interface that is down all end in that node under one
counter, so the counter alone does not distinguish them. ICMP answers indicate a route that refuses.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import BLACKHOLE
from wirespeed.explain.evidence import HINT, CauseFinding, Evidence

NAME = "blackhole"
_REFUSED = ("destination unreachable response",)


def look(case: Case) -> CauseFinding | None:
    pieces = named(case, *BLACKHOLE)
    if not pieces:
        return None
    answers = sum(count for event, count in case.events.items() if any(word in event.lower() for word in _REFUSED))
    ways = "no route, a route via drop, or the way out is down"
    if answers:
        ways = "a route refuses them (unreachable or prohibit)"
        pieces = (*pieces, Evidence(f"{answers:,} answers “destination unreachable”", HINT, "events"))
    return CauseFinding(
        NAME,
        f"the DUT has no way on for them, {ways}: {pieces[0].text}",
        pieces,
        next="`show ip fib ADDRESS` of a destination: the default route says no route, `dpo-drop` a route via drop, an "
        "interface the way out; then `show interface` (and `show memif`): is that one up?",
    )
