"""Unanswered states are evicted: a full table makes room for a new flow by deleting others that had no reply yet.

Nothing is lost while the flows open; their replies are, since the states are gone. Linux counts the deleted ones as
`early_drop`; it looks for them in the hash chains near that of the new flow, so few chains make many evictions.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import LOST, SOURCE, counted, evicted
from wirespeed.explain.evidence import FAIR, CauseFinding, Evidence

NAME = "state-evicted"
_ALL = 0.99


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None or facts.lost <= LOST * facts.flows:
        return None
    pieces = [counted(evicted(facts.table), facts.lost, "states without an answer deleted for new flows")]
    if facts.unanswered and facts.opened >= _ALL * facts.flows and evicted(facts.table):
        text = f"{facts.opened:,} of {facts.flows:,} flows opened, {facts.answered or 0:,} were answered"
        pieces.append(Evidence(text, FAIR, facts.source or SOURCE))
    limit = "" if facts.table.limit is None else f" at its limit of {facts.table.limit:,} entries"
    return CauseFinding(
        NAME,
        f"the state table{limit} deletes states that have no answer yet",
        tuple(pieces),
        next="a higher limit (`dut prepare --states N`), or answers before the table is full",
    )
