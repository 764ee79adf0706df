"""The DUT changes during the test: a memory leak, a growing table, a rising cost per packet.

The last tenth of a long test is compared with the first. Memory that grows by a tenth and 8 MiB, or a cost per packet
that grows by a fifth, is a drift. Smaller changes are noise of a shared host.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, FigureDrift
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import difference_text

NAME = "drift"
_GROWN_PERCENT, _GROWN_MIB = 10.0, 8.0
_DEARER_PERCENT = 20.0


def look(case: Case) -> CauseFinding | None:
    if not case.drifts:
        return None
    latencies = [drift for drift in case.drifts if drift.unit == "µs"]
    # Directions wait for the same CPU.
    worst = [max(latencies, key=lambda one: one.percent)] if latencies else []
    pieces = [_piece(drift) for drift in (*(one for one in case.drifts if one not in latencies), *worst)]
    drifting = [piece for piece in pieces if piece.bits > 0]
    said = drifting[0].text if drifting else ""
    return CauseFinding(
        NAME,
        f"the DUT changes as it runs: {said}" if drifting else "",
        tuple(pieces),
        next="the same load for longer: does it level off? And what grows in it: routes, neighbours, traces",
    )


def _piece(drift: FigureDrift) -> Evidence:
    unit = f" {drift.unit}" if drift.unit else ""
    change = difference_text(drift.percent / 100)
    text = f"{drift.what}: {drift.first:.4g}{unit} at first, {drift.last:.4g}{unit} at last ({change})"
    if drift.unit == "MiB":
        grown = drift.percent >= _GROWN_PERCENT and drift.last - drift.first >= _GROWN_MIB
        return Evidence(text, STRONG if grown else AGAINST, drift.source)
    # Neither tells by itself: a machine that others use makes both worse.
    bits = HINT if drift.unit == "µs" else FAIR
    return Evidence(text, bits if drift.percent >= _DEARER_PERCENT else 0.0, drift.source)
