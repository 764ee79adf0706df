"""Lookups miss the caches: a packet costs more with many flows or routes than with few."""

from __future__ import annotations

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence

NAME = "tables"
_DEARER = 1.2
_SAME = 1.07


def look(case: Case) -> CauseFinding | None:
    mine = case.load
    other = next((load for load in case.others if _fewer(mine, load)), None)
    if other is None or not mine.cycles or not other.cycles:
        return None
    ratio = mine.cycles / other.cycles
    text = f"{mine.cycles:.3g} cycles per packet here, {other.cycles:.3g} in {other.name} ({ratio:.2f} times)"
    bits = STRONG + FAIR if ratio >= _DEARER else AGAINST if ratio <= _SAME else HINT
    pieces = [Evidence(text, bits, mine.source)]
    lookup = _dearest(case)
    if lookup and ratio >= _DEARER:
        pieces.append(Evidence(lookup, FAIR, case.busy[0].source))
    return CauseFinding(
        NAME,
        f"lookups miss the caches: {text}",
        tuple(pieces),
        next="the same load over fewer prefixes and flows; hugepages for the table",
    )


def _fewer(mine: CaseLoad, other: CaseLoad) -> bool:
    if (other.directions, other.frame_bytes, other.hashed) != (mine.directions, mine.frame_bytes, mine.hashed):
        return False
    if mine.routes and other.routes and mine.routes >= 10 * other.routes:
        return True
    return mine.flows == "many" and other.flows == "one" and mine.routes == other.routes


def _dearest(case: Case) -> str:
    nodes = [node for worker in case.busy for node in worker.nodes if node.vectors and node.name.endswith("-lookup")]
    if not nodes:
        return ""
    node = max(nodes, key=lambda one: one.clocks)
    whole = sum(worker.clocks - worker.polling_clocks for worker in case.busy)
    share = node.clocks / whole if whole > 0 else 0.0
    return f"{node.name} takes {100 * share:.0f} % of the cycles" if share > 0.3 else ""
