"""Counters of state tables, by their meaning on each system, and the share of the lost flows that they explain."""

from __future__ import annotations

from wirespeed.cases.state_facts import StateFacts
from wirespeed.explain.evidence import HINT, PROOF, STRONG, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.states import StateTable

_MOST, _MUCH, _LITTLE = 0.5, 0.2, 0.01
LOST = 0.001
"""Share of the flows; fewer lost flows than that are no limit of a table."""
SOURCE = "state table"

_FULL = ("memory", "maximum sessions exceeded")
_NO_PORT = ("map-failed", "translate", "out of ports")


def by_words(table: StateTable, *words: str) -> int:
    """Sum of the counters with one of `words` as their name, or at its end."""
    return sum(count for name, count in table.counters.items() if name.endswith(words))


def refused(table: StateTable) -> int:
    """New flows dropped since the table was full. Linux' `drop` also has flows whose insertion failed."""
    counters = table.counters
    return max(0, counters.get("drop", 0) - counters.get("insert_failed", 0)) + by_words(table, *_FULL)


def chains_cut(table: StateTable) -> int:
    """New flows dropped since their hash chain had reached its greatest length."""
    return table.counters.get("chainlength", 0)


def without_port(table: StateTable) -> int:
    """New flows dropped since NAT found no free port. Linux' `insert_failed` also has those of long hash chains."""
    failed = max(0, table.counters.get("insert_failed", 0) - chains_cut(table))
    return failed + by_words(table, *_NO_PORT)


def evicted(table: StateTable) -> int:
    return table.counters.get("early_drop", 0)


def explained(facts: StateFacts) -> float:
    """Share of the lost flows that counters of the table explain, 0 to 1."""
    if facts.table is None or not facts.lost:
        return 0.0
    table = facts.table
    counted = refused(table) + chains_cut(table) + without_port(table) + evicted(table)
    return min(1.0, counted / facts.lost)


def weight(share: float) -> float:
    """In bits, of a counter that explains that share of the lost flows."""
    return PROOF if share >= _MOST else STRONG if share >= _MUCH else HINT if share >= _LITTLE else 0.0


def counted(count: int, lost: int, what: str) -> Evidence:
    """A counter and its share of the lost flows."""
    share = min(1.0, count / lost) if lost else 0.0
    part = f", {share_text(share)} of the lost flows" if lost else ""
    return Evidence(f"{count:,} {what}{part}", weight(share), SOURCE)


def dropping_rules(table: StateTable) -> list[tuple[str, int]]:
    """Rules that drop, with what they dropped, the most first."""
    words = (" drop", " reject", "block ")
    found = [
        (rule, count) for rule, count in table.rules.items() if count and any(word in f"{rule} " for word in words)
    ]
    return sorted(found, key=lambda one: -one[1])
