"""The DUT is configured to lose, duplicate or delay packets (`set interface impairment`)."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._reasons import ON_PURPOSE
from wirespeed.explain.evidence import STRONG, CauseFinding, Evidence

NAME = "impairment"


def look(case: Case) -> CauseFinding | None:
    disturbed = [(event, n) for event, n in case.events.items() if any(word in event for word in ON_PURPOSE) and n]
    pieces = [*named(case, *ON_PURPOSE), *(Evidence(f"{n:,} × “{event}”", STRONG, "events") for event, n in disturbed)]
    if not pieces:
        return None
    return CauseFinding(
        NAME,
        f"an impairment is set on the DUT: {pieces[0].text}",
        tuple(pieces),
        next="`show impairment`, and turn it off",
    )
