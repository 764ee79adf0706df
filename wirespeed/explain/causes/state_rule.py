"""A rule of the filter limits or drops new flows.

A rate limit on new flows (nftables' `limit`, pf's `max-src-conn-rate`) shows as a plateau that does not depend on the
load; the counters of the state table stay at 0. The evidence is the rule's own counter. A rule without one that drops
or limits is evidence if no counter explains the loss.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.cases.state_facts import StateFacts
from wirespeed.explain.causes._states import LOST, SOURCE, counted, dropping_rules, explained
from wirespeed.explain.evidence import AGAINST, FAIR, CauseFinding, Evidence
from wirespeed.results.states import StateTable

NAME = "state-rule"
_MUCH = 0.2


def look(case: Case) -> CauseFinding | None:
    facts = case.states
    if facts is None or facts.table is None or facts.unopened <= LOST * facts.flows:
        return None
    table = facts.table
    dropped = dropping_rules(table)
    pieces = []
    if dropped:
        rule, count = dropped[0]
        # A rule for replies that belong to no state counts those of flows that are gone.
        pieces.append(
            counted(max(0, count - facts.unanswered), facts.unopened, f"packets dropped by the rule “{rule}”")
        )
    elif table.uncounted_rules and explained(facts) < _MUCH:
        pieces.append(Evidence(f"a rule without counter: “{table.uncounted_rules[0]}”", FAIR, SOURCE))
        pieces.append(Evidence("no counter of the state table has the lost flows", FAIR, SOURCE))
    if not pieces:
        return None
    pieces += _limits(table, facts)
    invalid = table.counters.get("invalid", 0)
    if invalid >= _MUCH * facts.unopened:
        text = f"{invalid:,} packets are invalid for the state table: wrong checksums or numbers"
        pieces.append(Evidence(text, AGAINST, SOURCE))
    return CauseFinding(
        NAME,
        f"a rule of the filter drops new flows: {dropped[0][0] if dropped else table.uncounted_rules[0]}",
        tuple(pieces),
        next="the same test without that rule, or with a counter in it",
    )


def _limits(table: StateTable, facts: StateFacts) -> list[Evidence]:
    """Rules that limit a rate, with the drop rule for the excess."""
    rules = [rule for rule in (*table.rules, *table.uncounted_rules) if "limit rate" in rule or "max-src" in rule]
    return [Evidence(f"a rule limits the rate: “{rules[0]}”", FAIR, facts.source or SOURCE)] if rules else []
