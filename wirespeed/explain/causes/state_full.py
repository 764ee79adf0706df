"""The state table is full: each new flow beyond its limit is dropped.

Linux counts such flows as `drop` (less those of `insert_failed`), pf as `memory` (its `state-limit` belongs to a rule's
own `max`), VPP as `maximum sessions exceeded`. After a drop, Linux removes unanswered states until 95 % are left, so a
full table may be a little below its limit.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import LOST, SOURCE, counted, refused
from wirespeed.explain.evidence import AGAINST, FAIR, CauseFinding, Evidence
from wirespeed.explain.words import share_text

NAME = "state-table-full"
_FULL, _FREE = 0.94, 0.8


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None or facts.lost <= LOST * facts.flows:
        return None
    table = facts.table
    pieces = [counted(refused(table), facts.lost, "new flows dropped by the full table")]
    if table.limit:
        share = table.used / table.limit
        bits = FAIR if share >= _FULL else AGAINST if share < _FREE and not refused(table) else 0.0
        pieces.append(Evidence(f"{table.used:,} of {table.limit:,} entries in use, {share_text(share)}", bits, SOURCE))
    return CauseFinding(
        NAME,
        f"the state table is full: {table.limit or table.used:,} entries",
        tuple(pieces),
        next="a higher limit (`dut prepare --states N`) with as many buckets, or fewer flows",
    )
