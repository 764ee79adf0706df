"""Queues are distributed unevenly over the workers: one has two, and loss begins when that one is full.

Queues are assigned round-robin across interfaces, so with N queues on each of two ports and W workers the busiest has
ceil(2 N / W). If one worker's rate is c (known from one flow), both ports together reach c · 2 N / ceil(2 N / W) before
the busiest begins to lose. Flows of both directions that hash to queues of the same number may also meet on one worker.
"""

from __future__ import annotations

from math import ceil

from wirespeed.cases.facts import Case, CaseLoad
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, STRONG, CauseFinding, Evidence
from wirespeed.results.figures import rate_text

NAME = "placement"
_MATCH = 0.15
_EVEN = 0.8
_PORTS = 2


def look(case: Case) -> CauseFinding | None:
    queues, workers = case.dut.queues, case.dut.workers
    if not queues or not workers or workers < 2 or case.load.directions != _PORTS or not case.is_short:
        return None
    one_way = _one_way(case)
    if one_way is None:
        return None
    if len(case.busy) > 1 and min(w.pps for w in case.busy) > _EVEN * max(w.pps for w in case.busy):
        text = f"{len(case.busy)} workers have alike many packets"
        return CauseFinding(NAME, "", (Evidence(text, EXCLUDED, case.busy[0].source),))
    if case.load.one_queue_only:
        return _met(case, one_way)
    fullest = ceil(_PORTS * queues / workers)
    used = min(workers, _PORTS * queues)
    best = one_way.received_pps * _PORTS * queues / fullest
    even = _PORTS * queues % workers == 0
    text = (
        f"{queues} queues of {_PORTS} ports over {workers} workers: the fullest has {fullest}, {used} are used, which "
        f"makes {rate_text(best)} by the {rate_text(one_way.received_pps)} of one worker"
    )
    fits = abs(case.load.received_pps / best - 1) <= _MATCH
    bits = STRONG if fits and not even else AGAINST if not fits else FAIR
    return CauseFinding(
        NAME,
        f"queues are dealt unevenly: {text}",
        (Evidence(text, bits, case.dut.source),),
        missing=() if case.workers else ("`show interface rx-placement`",),
        next="as many queues as workers, or each placed by hand (`set interface rx-placement`)",
    )


def _one_way(case: Case) -> CaseLoad | None:
    """The load of a single flow in one direction, which one worker forwards."""
    return next((load for load in case.others if load.one_queue_only and load.directions == 1), None)


def _met(case: Case, one: CaseLoad) -> CauseFinding:
    """One flow each way: on two workers twice as much as one way, on the same no more than that."""
    ratio = case.load.received_pps / one.received_pps
    text = f"one flow each way makes {ratio:.2g} times what one way makes ({rate_text(one.received_pps)})"
    return CauseFinding(
        NAME,
        f"both directions' flows meet on one worker: {text}",
        (Evidence(text, STRONG + FAIR if ratio < 1.25 else AGAINST, case.load.source),),
        missing=() if case.workers else ("`show interface rx-placement`, and which queue each flow hashes to",),
        next="other addresses or ports for one of the flows; queues of the same number on different workers",
    )
