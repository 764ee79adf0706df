"""Packets are longer than the next link can carry: they are dropped, answered by ICMP, or fragmented.

A fragmented packet returns as two or more, so more packets return than were sent, and none of them is a test frame.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._drops import named, with_icmp_errors
from wirespeed.explain.causes._reasons import MTU
from wirespeed.explain.evidence import FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "mtu"
_CUT = ("packets fragmented", "packet fragmented", "number of sent fragments", "fragoks")
_LEAST = 0.05
"""Least share of the offered packets; fewer are foreign packets."""
_TWICE, _LONG_BYTES = 0.9, 576
"""Every host takes 576 bytes (RFC 1122), and few links less; copies by floods and mirrors are of short ones too."""


def look(case: Case) -> CauseFinding | None:
    pieces = with_icmp_errors(case, [*named(case, *MTU), *_cut(case)], FAIR)
    if not pieces:
        return None
    return CauseFinding(
        NAME,
        f"packets do not fit the MTU: {pieces[0].text}",
        tuple(pieces),
        next="the MTU of each interface against the frame less 18 bytes",
    )


def _cut(case: Case) -> list[Evidence]:
    counted = {event: n for event, n in case.events.items() if any(word in event.lower() for word in _CUT)}
    if not any(counted.values()):
        return _made(case)
    event, cut = max(counted.items(), key=lambda item: item[1])
    offered = (case.load.offered_pps or 0.0) * (case.interval_s or 0.0)
    share = min(1.0, cut / offered) if offered else None
    part = "" if share is None else f", {share_text(share)} of what was offered"
    known = share is None or share >= _LEAST
    pieces = [Evidence(f"{cut:,} × “{event}”: packets were cut{part}", STRONG if known else HINT, "events")]
    if case.extraneous_share >= _LEAST:
        more = share_text(case.extraneous_share)
        pieces.append(Evidence(f"{more} more came out of the DUT than went in", FAIR, case.load.source))
    return pieces


def _made(case: Case) -> list[Evidence]:
    """A DUT that does not count fragments still counts packets: about twice as many as there were long ones."""
    if case.extraneous_share < _TWICE or (case.load.frame_bytes or 0.0) < _LONG_BYTES:
        return []
    text = f"{share_text(case.extraneous_share)} more packets came out of the DUT than went in, as when each is cut"
    return [Evidence(text, STRONG, "the DUT's counts")]
