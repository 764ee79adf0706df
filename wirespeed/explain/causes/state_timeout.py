"""The DUT's timeout is shorter than the test: states end while their flows are still used.

The oldest flows are lost first, and no counter tells: neither drops nor evictions, only fewer entries. The timeout has
to be longer than the opening of all flows, the pause and the traffic after it together.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._states import LOST, SOURCE, explained
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import seconds_text

NAME = "state-timeout"
_MOST = 0.5


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None:
        return None
    timeout_s, lasted_s = facts.table.timeout_s(facts.protocol), facts.lasted_s
    if timeout_s is None or lasted_s is None:
        return None
    is_short = timeout_s <= lasted_s
    over_states = facts.answered is None and facts.opened >= facts.flows and case.is_short
    if facts.unanswered <= LOST * facts.flows and not (over_states and is_short):
        return None
    text = f"flows had to live for {seconds_text(lasted_s)}, and the DUT's timeout is {seconds_text(timeout_s)}"
    pieces = [Evidence(text, STRONG if is_short else EXCLUDED, SOURCE)]
    if explained(facts) >= _MOST:
        pieces.append(Evidence("counters of the state table explain the loss", AGAINST, SOURCE))
    elif is_short:
        entries = facts.entries or 0
        text = f"{entries:,} entries are left of {facts.flows:,} flows, and no counter has the rest"
        pieces.append(Evidence(text, FAIR if entries < facts.flows else AGAINST, SOURCE))
    return CauseFinding(
        NAME,
        f"states end during the test: their timeout is {seconds_text(timeout_s)}",
        tuple(pieces),
        next=f"a longer timeout (`dut prepare --state-timeout {2 * lasted_s:.0f}`), or fewer flows at a higher rate",
    )
