"""Each packet costs the same at any size: the limit is a CPU or a NIC, not a bus or a line."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes._sizes import same_rate_at_other_size
from wirespeed.explain.evidence import EXCLUDED, FAIR, CauseFinding, Evidence

NAME = "per-packet"


def look(case: Case) -> CauseFinding | None:
    same = same_rate_at_other_size(case)
    if same is None or not case.is_short:
        return None
    return CauseFinding(
        NAME,
        "the limit is per packet, not per byte: a CPU or a NIC's packet rate",
        (Evidence(same[0], FAIR if same[1] else EXCLUDED, case.load.source),),
        missing=("time by CPU, or a worker's vectors per call",),
    )
