"""Packets are longer than the next link takes: dropped, answered or cut."""

from __future__ import annotations

from wirespeed.explain.causes._drops import named
from wirespeed.explain.evidence import FAIR, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case

NAME = "mtu"
_WORDS = ("mtu", "too big", "too long", "fragmentation needed", "fragfails", "toobig", "df bit")


def look(case: Case) -> Finding | None:
    pieces = list(named(case, *_WORDS))
    cut = sum(count for event, count in case.events.items() if "fragment" in event)
    if cut:
        pieces.append(Evidence(f"{cut:,} packets were cut to fragments", STRONG, "events"))
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
