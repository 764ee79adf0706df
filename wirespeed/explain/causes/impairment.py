"""Somebody lets the device lose packets on purpose (`set interface impairment`)."""

from __future__ import annotations

from wirespeed.explain.causes._drops import named
from wirespeed.explain.evidence import Finding
from wirespeed.explain.facts import Case

NAME = "impairment"


def look(case: Case) -> Finding | None:
    pieces = named(case, "on purpose")
    if not pieces:
        return None
    return Finding(
        NAME, f"an impairment is set on the device: {pieces[0].text}", pieces, next="`show impairment`, and turn it off"
    )
