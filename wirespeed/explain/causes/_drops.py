"""How much of what was lost a counter of drops explains."""

from __future__ import annotations

from wirespeed.explain.evidence import PROOF, STRONG, Evidence
from wirespeed.explain.facts import Case
from wirespeed.explain.words import share_text


def share_of_lost(case: Case, count: int) -> float | None:
    """0 to 1; None where nobody knows how many were lost."""
    return min(1.0, count / case.lost_packets) if case.lost_packets else None


def named(case: Case, *words: str) -> tuple[Evidence, ...]:
    """The drops with one of `words` in their reason, each a piece that weighs by what it explains."""
    found = []
    for reason, count in sorted(case.drops.items(), key=lambda item: -item[1]):
        if not count or not any(word in reason.lower() for word in words):
            continue
        share = share_of_lost(case, count)
        part = "" if share is None else f", {share_text(share)} of what was lost"
        bits = PROOF if share is None or share >= 0.5 else STRONG if share >= 0.2 else 0.5
        found.append(Evidence(f"{count:,} × “{reason}”{part}", bits, "drops by reason"))
    return tuple(found)
