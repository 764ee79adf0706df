"""One queue feeds one worker: the others have nothing to do.

A NIC puts the packets of a flow into one queue, and those that it cannot parse (MPLS, GRE, PPPoE) all into the first.
So it is evidence if one flow carries as much as many flows, or 1/N of it with N workers.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.causes.worker import IDLE_PART
from wirespeed.explain.evidence import AGAINST, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import share_text
from wirespeed.results.figures import rate_text

NAME = "queues"
_SAME = 0.06
_MATCH = 0.15
_WAYS, _EACH = 2, 0.9
"""Directions, and how much of one alone each has at least where they do not share a worker."""


def look(case: Case) -> CauseFinding | None:
    if not case.may_be_short:
        return None
    pieces = [*_flows(case), *_workers(case), *_multiples(case), *_both_ways(case), *_spread(case)]
    if not pieces:
        return None
    queues = case.dut.queues
    named = f"{queues} RX queue{'s' if queues != 1 else ''} per port" if queues else "one RX queue"
    if case.load.one_queue_only:
        why = (
            "one flow meets one queue"
            if case.load.hashed
            else "the NIC cannot hash these frames, so all meet one queue"
        )
        sentence = f"one worker has all the packets: {why}"
    else:
        sentence = f"{named} feed{'s' if queues in (None, 1) else ''} as many workers: the others have nothing to do"
    return CauseFinding(
        NAME,
        sentence,
        tuple(pieces),
        missing=() if case.workers else ("packets by queue and worker",),
        next="more RX queues, each to its own worker; many flows; a hash that reads ports (`rx-flow-hash udp4 sdfn`)",
    )


def _flows(case: Case) -> list[Evidence]:
    load = case.load
    if load.one_queue_only:
        other = case.other(flows="many", hashed=True)
        each = case.other(directions=1) if load.directions == _WAYS else None
        if each is not None and _WAYS * _EACH <= load.received_pps / each.received_pps <= _WAYS * (1 + _SAME):
            text = f"{each.name}: {rate_text(each.received_pps)} of one flow one way; each flow has a worker of its own"
            return [Evidence(text, STRONG, each.source)]
        if other is None:
            return []
        ratio = other.received_pps / load.received_pps
        text = f"{other.name}: {rate_text(other.received_pps)} with many flows, {ratio:.2g} times as much"
        if ratio > 1.3:
            return [Evidence(text, STRONG, other.source)]
        return [Evidence(text, STRONG if ratio >= 1 - _SAME and case.dut.queues == 1 else 0.0, other.source)]
    other = case.other(flows="one")
    if other is None:
        return []
    ratio = load.received_pps / other.received_pps
    text = f"{other.name}: {rate_text(other.received_pps)} with one flow, {ratio:.2g} of which is this"
    if abs(ratio - 1) > _SAME:
        return []
    several = (case.dut.queues or 1) > 1
    return [Evidence(f"{text}: flows make no difference", HINT if several else STRONG, other.source)]


def _workers(case: Case) -> list[Evidence]:
    if case.busy and not any(worker.is_saturated for worker in case.busy):
        worker = max(case.busy, key=lambda one: one.vectors)
        return [Evidence(f"{worker.finds}: its queue does not keep it busy", AGAINST + AGAINST, worker.source)]
    if len(case.workers) < 2:
        return []
    most = max(worker.pps for worker in case.workers)
    idle = [worker for worker in case.workers if worker.pps <= IDLE_PART * most]
    saturated = [worker for worker in case.workers if worker.is_saturated]
    source = case.workers[0].source
    if saturated and idle:
        names = ", ".join(worker.name for worker in idle)
        return [Evidence(f"{saturated[0].name} is saturated, {names} hardly had packets", STRONG + HINT, source)]
    if len(saturated) == len(case.workers):
        return [Evidence("all workers are saturated", AGAINST, source)]
    return []


def _multiples(case: Case) -> list[Evidence]:
    """The rate of many flows is that of one flow times the number of queues, with idle workers left."""
    queues, workers = case.dut.queues, case.dut.workers
    if queues is None or workers is None or case.load.one_queue_only or queues < 2 or queues >= workers:
        return []
    single = case.other(flows="one")
    if single is None or case.load.directions > 1:
        return [Evidence(f"{queues} queues a port for {workers} workers", HINT, case.dut.source)]
    ratio = case.load.received_pps / single.received_pps
    if abs(ratio / queues - 1) > _MATCH:
        return []
    text = (
        f"{ratio:.2g} times the {rate_text(single.received_pps)} of one flow, by {queues} queues for {workers} workers"
    )
    return [Evidence(text, STRONG, case.load.source)]


def _both_ways(case: Case) -> list[Evidence]:
    """Each way alone has queues of its own: both ways make twice as much. As much says that they share something else,
    and more than twice that no queue was the limit."""
    if not case.load.hashed:
        return []
    other = case.other(directions=3 - case.load.directions)
    if other is None:
        return []
    ratio = other.received_pps / case.load.received_pps
    ratio = ratio if case.load.directions == 1 else 1 / ratio
    text = f"{other.name}: {rate_text(other.received_pps)}; both ways make {ratio:.2f} times one way"
    apart = case.dut.queues is not None and 2 * case.dut.queues <= (case.dut.workers or 1)
    if ratio <= 1 + _SAME and apart:
        return [Evidence(f"{text}: both share something", AGAINST, other.source)]
    return [Evidence(f"{text}: a port does more than here", AGAINST, other.source)] if ratio > 2 * (1 + _SAME) else []


_ALL, _MOST, _EVEN = 0.75, 0.5, 1.5
"""Shares of a NIC's packets in its fullest queue: nearly all, and most; and the multiple of an even share up to
which queues count as even."""


def _spread(case: Case) -> list[Evidence]:
    """Evidence by the NIC's packets per queue: one queue has all, or each its share."""
    pieces = []
    for nic in case.machine.nics:
        share = nic.fullest_share
        if share is None:
            continue
        count = len(nic.queue_packets)
        text = f"{nic.name}: the fullest of {count} RX queues had {share_text(share)} of its packets"
        if share >= max(_ALL, _EVEN / count):
            pieces.append(Evidence(text, STRONG, nic.source))
        elif share >= max(_MOST, _EVEN / count):
            pieces.append(Evidence(text, FAIR, nic.source))
        elif share <= _EVEN / count:
            pieces.append(Evidence(text, AGAINST, nic.source))
    return pieces
