"""Hash chains of the state table are long: each lookup walks a chain, so the rate falls as states are added.

An entry of Linux stands in two chains, one for each direction. From about 50 links on Linux refuses new flows
(`chainlength`). Below that there is no counter: the mean chain is the number of links over the number of buckets, and
the rate over the number of flows falls. RFC 9693 has results at three to five entries per bucket.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.cases.state_facts import StateFacts
from wirespeed.explain.causes._states import LOST, SOURCE, chains_cut, counted
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence

NAME = "state-hash"
_LONG, _SHORT = 16.0, 4.0
"""Mean links of a chain."""
_FALLS = 0.8


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None:
        return None
    falls, cut = _falls(facts), chains_cut(facts.table)
    pieces = [counted(cut, facts.lost, "new flows dropped at a full hash chain")] if cut else []
    if not pieces and facts.lost <= LOST * facts.flows and falls is None:
        return None
    links, buckets = facts.table.links_per_bucket, facts.table.buckets
    if links is not None:
        bits = FAIR if links >= _LONG else AGAINST if links < _SHORT and not cut else 0.0
        text = f"{links:.3g} links in a hash chain on average, {facts.table.used:,} entries in {buckets:,} buckets"
        pieces.append(Evidence(text, bits, SOURCE))
    if falls is not None:
        pieces.append(falls)
    if not any(piece.bits for piece in pieces):
        return None
    return CauseFinding(
        NAME,
        f"hash chains of the state table are long: {buckets or 0:,} buckets",
        tuple(pieces),
        next="more buckets (`dut prepare --buckets N`), half as many as the table has entries or more",
    )


def _falls(facts: StateFacts) -> Evidence | None:
    """Rates of the fewest and the most flows."""
    if len(facts.curve) < 2:
        return None
    few, many = min(facts.curve), max(facts.curve)
    ratio = many[1] / few[1] if few[1] > 0 else 1.0
    text = f"{many[1]:,.0f} new flows/s with {many[0]:,} flows, {few[1]:,.0f} with {few[0]:,}"
    return Evidence(text, STRONG if ratio < _FALLS else HINT - FAIR, facts.source or SOURCE)
