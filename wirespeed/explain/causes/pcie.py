"""The PCIe link of the NIC is full.

The bytes that packets take towards the host (data, TLP headers, descriptors) are compared with the capacity of the
link. The bounds of the model are 30 % apart, and 85 % in the middle counts as full. On a full bus, both directions
together carry no more than one alone.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case, NicLink
from wirespeed.explain.arithmetic import Bounds, link_use, up_bytes
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import rate_text

NAME = "pcie"
_FULL, _POSSIBLE, _FAR = 0.85, 0.85, 0.6
_SAME = 0.08
_LINE = 0.955


def look(case: Case) -> CauseFinding | None:
    uses = [(use, link) for link in case.dut.links if (use := link_use(link, case.load)) is not None]
    if not uses:
        return None
    use, link = max(uses, key=lambda one: one[0].middle)
    pieces = [_use(use, link, case), *_shared(case, use), *_workers(case)]
    if (case.load.line_share or 0.0) >= _LINE:
        pieces.append(Evidence("the line is nearly full", EXCLUDED, case.load.source))
    cost = up_bytes(case.load.frame_bytes or 0.0, sends=link.ports > 1 or case.load.directions > 1)
    return CauseFinding(
        NAME,
        f"the PCIe link ({link.gts:g} GT/s x{link.width}{', ' + link.nic if link.nic else ''}) is full: a packet takes "
        f"{cost.low:.0f} to {cost.high:.0f} bytes of it towards the host",
        tuple(pieces),
        next="a wider slot, or the same load with longer frames: packets per second must fall as bytes grow",
    )


def _use(use: Bounds, link: NicLink, case: Case) -> Evidence:
    text = f"{rate_text(case.load.received_pps)} take {100 * use.low:.0f} to {100 * use.high:.0f} % of it"
    if use.middle >= _FULL:
        return Evidence(text, STRONG, link.source)
    return Evidence(text, HINT if use.high >= _POSSIBLE else EXCLUDED if use.high < _FAR else AGAINST, link.source)


def _shared(case: Case, use: Bounds) -> list[Evidence]:
    """Both directions together are no more than one alone, or the other way round."""
    other = case.other(directions=1 if case.load.directions > 1 else 2)
    if other is None or use.middle < _FAR:
        return []
    text = f"{other.name}: {rate_text(other.received_pps)} with the other number of directions"
    same = abs(other.received_pps / case.load.received_pps - 1) <= _SAME
    return [Evidence(text, FAIR, other.source)] if same else []


def _workers(case: Case) -> list[Evidence]:
    if not case.busy:
        return []
    if any(worker.is_saturated for worker in case.busy):
        return [Evidence("a worker finds full vectors", AGAINST, case.busy[0].source)]
    return [Evidence("no worker is saturated", FAIR, case.busy[0].source)]
