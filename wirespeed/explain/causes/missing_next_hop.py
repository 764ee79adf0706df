"""The device does not know where to send packets: no route, no neighbour, or a route that says so."""

from __future__ import annotations

from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import NO_NEXT_HOP
from wirespeed.explain.evidence import Finding
from wirespeed.explain.facts import Case

NAME = "no-next-hop"


def look(case: Case) -> Finding | None:
    pieces = named(case, *NO_NEXT_HOP)
    if not pieces:
        return None
    return Finding(
        NAME,
        f"the device has no route or neighbour for them: {pieces[0].text}",
        pieces,
        next="`show ip fib`, `show ip neighbors`: a static neighbour for the tester's address, routes for its prefixes",
    )
