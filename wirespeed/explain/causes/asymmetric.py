"""The two directions differ: only one of them crosses a certain port, slot, or type of NIC."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import FAIR, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import rate_text

NAME = "asymmetric"
_DIFFERS, _FAR = 1.1, 2.0


def look(case: Case) -> CauseFinding | None:
    rates = case.load.by_direction
    if len(rates) != 2 or min(rates) <= 0 or not case.is_short:
        return None
    ratio = max(rates) / min(rates)
    if ratio < _DIFFERS:
        return None
    text = f"{rate_text(rates[0])} one way, {rate_text(rates[1])} the other"
    return CauseFinding(
        NAME,
        f"one direction is the limit: {text}",
        (Evidence(text, STRONG - FAIR if ratio < _FAR else STRONG, case.load.source),),
        next="each direction by itself (`--direction 0-1`, `1-0`), then wires swapped: does it follow the port?",
    )
