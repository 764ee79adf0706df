"""Packets are lost before the CPU sees them: by the NIC, its driver's settings, or the bus behind it.

A saturated polling worker finds 256 packets at nearly each poll. A worker that finds few, forwards all and drops none
did not lose them. Some NICs count packets discarded for lack of internal buffers. Vectors near 4 on igb, igc and i40e
are the write-back threshold of these drivers, not a load.
"""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.cases.facts import NOT_ARRIVED, Case, CaseLoad
from wirespeed.explain.arithmetic import link_use
from wirespeed.explain.causes._drops import named
from wirespeed.explain.causes._plateau import plateau_of_nic
from wirespeed.explain.causes._preemption import explains_loss, longest_preemption
from wirespeed.explain.causes._reasons import NIC_ITSELF, RX_MISSED
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import idle_text, share_text
from wirespeed.results.figures import loss_text, rate_text

NAME = "nic"
_DROPS = 0.05
"""Least share of the lost packets; fewer drops do not explain the loss."""
_FULL_LINK = 0.85
_IDLE = 0.25
_SAME = 0.08
_ALL = 0.995
_WAYS = 2


def look(case: Case) -> CauseFinding | None:
    own = (*named(case, *NIC_ITSELF), *_missed(case))
    if not case.is_short or (case.dut.is_kernel and not own) or not case.dut.has_nics:
        return None
    alike = _alike(case)
    # Without a counter, a worker or a comparison that speaks of the NIC, the loss alone leaves it possible.
    shared = _shared(case) if own or case.busy else []
    pieces = [_lost(case), *own, *(alike or shared), *_arrived(case, own)]
    share = longest_preemption(case)
    if share is not None and explains_loss(case, share):
        pieces.append(
            Evidence(f"a worker was preempted for {share_text(share)} of the time, which explains it", AGAINST)
        )
    why = ""
    if case.busy:
        pieces += [*_workers(case), *_counted(case), *_links(case)]
        deepest = max(worker.vectors for worker in case.busy)
        why = f": the workers get {deepest:.3g} packets per call{_time_left(case)}"
    return CauseFinding(
        NAME,
        f"packets are lost before the CPU sees them, in the NIC or its bus{why}",
        tuple(pieces),
        missing=() if case.dropped("rx-miss", "rx miss", "missed") else ("the NIC's own counters (rx-miss, imissed)",),
        next="read the NIC's counters under load; try another slot, ASPM off, `iommu=pt`, more RX descriptors",
    )


def _lost(case: Case) -> Evidence:
    ratio = case.load.loss_ratio
    if ratio is None:
        return Evidence(f"{rate_text(case.load.received_pps)} came back, less than the line", HINT, case.load.source)
    return Evidence(f"{loss_text(ratio)} of what was offered did not come back", FAIR, case.load.source)


def _arrived(case: Case, own: Sequence[Evidence]) -> list[Evidence]:
    """Evidence against the NIC by the packets that the workers received: all of them, or so few that no rate limit
    explains it."""
    share = case.arrived_share
    if share is None or own or NOT_ARRIVED <= share < _ALL:
        return []
    if share >= _ALL:
        return [Evidence(f"{share_text(min(1.0, share))} of what was offered came in: the NIC took all", EXCLUDED)]
    return [Evidence("next to nothing of the load came in, which no limit of a rate does", EXCLUDED)]


def _missed(case: Case) -> list[Evidence]:
    """The NIC's own count of frames that it could not hand over, at a rate that no load changes."""
    if not plateau_of_nic(case):
        return []
    count = case.dropped(*RX_MISSED)
    text = (
        f"the NIC missed {count:,} frames, the same rate came in at all loads beyond the saturation point, and the CPU "
        "had time"
    )
    return [Evidence(text, STRONG + HINT, "drops by reason")]


def _time_left(case: Case) -> str:
    """Evidence of the workers' idle time; vectors that are not full prove little."""
    known = [worker.idle for worker in case.busy if worker.idle is not None]
    if known and min(known) >= _IDLE:
        return " and have time to spare"
    return ", and their vectors are not full"


def _alike(case: Case) -> list[Evidence]:
    """Evidence by the same rate with one flow and many, and with one direction and both, while each direction has its
    own worker. Then neither a queue nor a worker is the limit, and if the bus has capacity left, it is the NIC."""
    mine = case.load
    if case.dut.is_kernel or (case.dut.workers or 0) < _WAYS or not case.dut.links:
        return []
    if any(use.middle >= _FULL_LINK for link in case.dut.links if (use := link_use(link, mine)) is not None):
        return []
    loads = [mine, *(other for other in case.others if _differs_in_spread(mine, other))]
    ways = {load.directions for load in loads}
    flows = {load.flows for load in loads if load.flows}
    rates = [load.received_pps for load in loads]
    if len(ways) < _WAYS or len(flows) < _WAYS or max(rates) > (1 + _SAME) * min(rates):
        return []
    text = f"{rate_text(min(rates))} to {rate_text(max(rates))} over one flow and many, one direction and both"
    return [Evidence(f"{text}: no queue and no worker is the limit", STRONG, mine.source)]


def _differs_in_spread(mine: CaseLoad, other: CaseLoad) -> bool:
    """True for a load of the same frames and line speed, with another number of flows or directions."""
    if mine.frame_bytes is None or other.frame_bytes is None or mine.line_bps != other.line_bps:
        return False
    return abs(other.frame_bytes - mine.frame_bytes) <= 0.02 * mine.frame_bytes


def _shared(case: Case) -> list[Evidence]:
    """Both directions together make no more than one alone: they share what limits them."""
    other = case.other(directions=1 if case.load.directions > 1 else 2)
    if other is None or abs(other.received_pps / case.load.received_pps - 1) > _SAME:
        return []
    text = f"{other.name}: {rate_text(other.received_pps)} with the other number of directions"
    return [Evidence(text, HINT, other.source)]


def _workers(case: Case) -> list[Evidence]:
    if any(worker.is_saturated for worker in case.busy):
        full = next(worker for worker in case.busy if worker.is_saturated)
        return [Evidence(f"{full.finds}: it has no time to spare", EXCLUDED, full.source)]
    pieces = []
    for worker in case.busy[:1]:
        bits = 2 * FAIR if worker.is_idle else -FAIR
        pieces.append(Evidence(worker.finds, bits, worker.source))
        if worker.idle is not None and worker.idle >= _IDLE:
            pieces.append(Evidence(idle_text(worker), HINT, worker.source))
    return pieces


def _counted(case: Case) -> list[Evidence]:
    """Evidence by the device's counters: all received packets were sent, without drops."""
    worker = case.busy[0]
    pieces = []
    if worker.in_pps and worker.out_pps is not None:
        gone = 1 - worker.out_pps / worker.in_pps
        bits = FAIR if gone <= 0.005 else AGAINST
        pieces.append(Evidence(f"in {rate_text(worker.in_pps)}, out {rate_text(worker.out_pps)}", bits, worker.source))
    if case.lost_packets and case.drops:
        share = min(1.0, sum(case.drops.values()) / case.lost_packets)
        text = f"the DUT counted {share_text(share)} of what was lost"
        pieces.append(Evidence(text, FAIR if share <= _DROPS else AGAINST if share > 0.5 else 0.0))
    return pieces


def _links(case: Case) -> list[Evidence]:
    pieces = []
    for link in case.dut.links:
        use = link_use(link, case.load)
        if use is None:
            continue
        text = f"PCIe {link.gts:g} GT/s x{link.width} is at {100 * use.low:.0f} to {100 * use.high:.0f} %"
        pieces.append(Evidence(text, AGAINST if use.middle >= _FULL_LINK else 0.0, link.source))
    return pieces
