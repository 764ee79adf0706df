"""State table of pf, on FreeBSD and OpenBSD. Pure.

A routed flow has two states where rules keep state on both interfaces. A full table counts as `memory`; `state-limit`
belongs to a rule's own `max`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wirespeed.dut.plan import Facts, text_of
from wirespeed.results.states import StateTable

_INFO, _LIMITS, _TIMEOUTS = "pfctl -s info", "pfctl -s memory", "pfctl -s timeouts"
_RULES, _NAT = "pfctl -v -s rules", "pfctl -s nat"
NAT_PORTS = 65535 - 50001 + 1
"""Ports of a translation whose rule names none."""
_TABLE_FIGURES = ("current entries", "half-open tcp")


class PfStates:
    """`hash_question` prints the number of hash rows, on systems that have such a setting."""

    count_question = _INFO
    flush = "pfctl -F states"
    flush_needs = "pf"

    def __init__(self, hash_question: str = "") -> None:
        self._hash = hash_question
        self.questions = (_INFO, _LIMITS, _TIMEOUTS, _RULES, _NAT, *filter(None, [hash_question]))

    def used(self, facts: Facts) -> int | None:
        text = text_of(facts, _INFO)
        found = re.search(r"(?m)^\s+current entries\s+(\d+)", text)
        return int(found[1]) if found and "Status: Enabled" in text else None

    def table(self, facts: Facts) -> StateTable | None:
        used = self.used(facts)
        if used is None:
            return None
        limit = re.search(r"(?m)^states\s+hard limit\s+(\d+)", text_of(facts, _LIMITS))
        buckets = text_of(facts, self._hash).strip()
        rules = text_of(facts, _RULES)
        counters = re.findall(r"(?m)^ +([a-zA-Z][\w -]*?) {2,}(\d+)", text_of(facts, _INFO))
        return StateTable(
            used=used,
            limit=int(limit[1]) if limit else None,
            buckets=int(buckets) if buckets.isdigit() else None,
            entries_per_flow=2,
            links_per_entry=1,
            timeouts_s=dict(self._timeouts(text_of(facts, _TIMEOUTS))),
            counters={name: int(count) for name, count in counters if name not in _TABLE_FIGURES},
            rules=rule_packets(rules),
            nat_ports=nat_ports(f"{rules}\n{text_of(facts, _NAT)}"),
        )

    def _timeouts(self, text: str) -> Iterator[tuple[str, float]]:
        """Also the bounds of adaptive timeouts, which are numbers of states."""
        for name, value in re.findall(r"(?m)^([a-z]+\.[a-z]+)\s+(\d+)", text):
            yield name, float(value)

    def how_to_hold(self, entries: int) -> str:
        return f"`set limit states {entries}` in pf.conf"


def rule_packets(text: str) -> dict[str, int]:
    """`pfctl -v -s rules`: packets by rule."""
    found: dict[str, int] = {}
    for rule, packets in re.findall(r"(?m)^(\w.*)\n\s+\[ Evaluations: \d+\s+Packets: (\d+)", text):
        found[rule.strip()] = found.get(rule.strip(), 0) + int(packets)
    return found


def nat_ports(text: str) -> int | None:
    """Ports of the rule that translates sources: FreeBSD's `nat on`, OpenBSD's `nat-to`."""
    counts = []
    for line in text.splitlines():
        if line.startswith("nat ") or "nat-to" in line:
            given = re.search(r"\bport (\d+):(\d+)\s*(?:static-port)?\s*$", line)
            counts.append(int(given[2]) - int(given[1]) + 1 if given else NAT_PORTS)
    return min(counts, default=None)
