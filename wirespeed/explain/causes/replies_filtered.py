"""The filter drops the replies: flows open, their states are in the table, and nothing comes back.

A rule for established flows is missing, or is behind one that drops. The evidence is the counter of the dropping rule,
and the entries that are still there: where states have ended or were deleted, replies are dropped rightly.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import SOURCE, counted, dropping_rules
from wirespeed.explain.evidence import EXCLUDED, FAIR, STRONG, CauseFinding, Evidence

NAME = "replies-filtered"
_NEARLY_ALL, _NEARLY_NONE = 0.9, 0.01


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None or facts.answered is None or not facts.opened:
        return None
    if facts.answered > _NEARLY_NONE * facts.opened:
        return None
    table = facts.table
    text = f"{facts.opened:,} of {facts.flows:,} flows opened, {facts.answered:,} were answered"
    pieces = [Evidence(text, FAIR, facts.source or SOURCE)]
    entries = facts.entries or 0
    is_there = entries >= _NEARLY_ALL * facts.opened * table.entries_per_flow
    pieces.append(Evidence(f"{entries:,} states of them are in the table", STRONG if is_there else EXCLUDED, SOURCE))
    dropped = dropping_rules(table)
    if dropped:
        pieces.append(counted(dropped[0][1], facts.unanswered, f"packets dropped by the rule “{dropped[0][0]}”"))
    return CauseFinding(
        NAME,
        "the filter drops the replies of flows that it has let out",
        tuple(pieces),
        next="a rule that accepts established flows from the responder's side, before the one that drops",
    )
