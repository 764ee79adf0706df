"""The device drops packets for a reason that it names, and that no other cause here is about.

A filter, a wrong MAC address, a checksum, an interface that is down: the counter's own words are the verdict. Sums of
an interface (`rx drop`) and full rings say where a packet died and not why, so they are none.
"""

from __future__ import annotations

from wirespeed.explain.causes import _reasons
from wirespeed.explain.causes._drops import has, pieces_of
from wirespeed.explain.evidence import Finding
from wirespeed.explain.facts import Case

NAME = "dropped"


def look(case: Case) -> Finding | None:
    left = {reason: count for reason, count in case.drops.items() if not has(reason, _reasons.ALL)}
    pieces = pieces_of(case, left)
    if not pieces:
        return None
    return Finding(
        NAME,
        f"the device drops them: {pieces[0].text}",
        pieces,
        next="what the counter's node checks (`show errors`, a trace of one such packet)",
    )
