"""The line is full.

From 98.5 % of line rate on it is the line: clocks of both ends differ by 100 ppm, and testers pace within 1 %. From
95.5 % on it most likely is, since published figures are rounded; below 90 % it is not. In between, the maximum rate of
the tester decides (cause `tester`).
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, PROOF, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import percent_text, rate_text
from wirespeed.results.verdict import NEXT_STEPS

NAME = "line-rate"
_FULL, _NEARLY, _FAR = 0.985, 0.955, 0.9


def look(case: Case) -> CauseFinding | None:
    share, line = case.load.line_share, case.load.line_pps
    if share is None or line is None:
        return None
    percent = percent_text(100 * min(share, 1.0))
    text = f"{rate_text(case.load.received_pps)} is {percent} % of the line's {rate_text(line)}"
    bits = PROOF if share >= _FULL else 2 * FAIR - HINT if share >= _NEARLY else 0.0 if share >= _FAR else EXCLUDED
    pieces = [Evidence(text, bits, case.load.source)]
    offered = case.load.offered_share
    if offered is not None and offered < _FULL:
        pieces.append(Evidence(f"no more than {share_text(offered)} of it was offered", AGAINST, case.load.source))
    return CauseFinding(NAME, f"the line is full: {text}", tuple(pieces), next=NEXT_STEPS["line"])
