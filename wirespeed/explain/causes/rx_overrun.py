"""RX descriptors ran out although the CPU had time: bursts are longer than the ring.

The NIC counts packets that found no free descriptor (rx-miss, imissed), or the ring between tester and DUT was full,
and the worker is not saturated. It polled too late for bursts, and is fast enough for the load. A worker that finds
nothing at a tenth of its polls has time. A short ring keeps vectors below 256 even if the worker is busy, so vectors
alone are not evidence. Packets that a kernel's interface counts as `rx drop` may have been dropped in a backlog behind
it.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.cases.nic_counters import RING
from wirespeed.explain.causes._drops import has, pieces_of
from wirespeed.explain.causes._plateau import plateau_of_nic
from wirespeed.explain.causes._preemption import explains_loss, longest_preemption
from wirespeed.explain.causes._reasons import NIC_ITSELF, RX_MISSED
from wirespeed.explain.causes._steps import shares_lost
from wirespeed.explain.evidence import AGAINST, EXCLUDED, FAIR, HINT, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import idle_text, share_text

NAME = "rx-overrun"
_MOST = 0.5
_TIME_LEFT, _NO_TIME = 0.1, 0.02


def look(case: Case) -> CauseFinding | None:
    pieces = [*_missed(case), *_refused(case)]
    if not pieces:
        return None
    away = _away(case)
    pieces += _plateau(case) or [*_workers(case, is_away=bool(away)), *away]
    alone = not case.busy and not case.cpus
    if alone:
        # A counter of the ring itself says that it was full; why is open. A frame that was missed may be the bus's.
        bits = -FAIR if case.dropped(RING) else -STRONG - HINT
        pieces.append(Evidence("no data shows whether the CPU that reads the ring has time", bits))
    if case.dut.is_kernel and any(cpu.idle_percent < 5 for cpu in case.cpus):
        pieces.append(Evidence("a CPU has no idle time: the ring is full since the CPU is", -STRONG, "CPU time"))
    what = "the RX ring is full, by bursts or a slow CPU" if alone else "bursts overrun the RX ring"
    return CauseFinding(
        NAME,
        f"{what}: {pieces[0].text}",
        tuple(pieces),
        missing=() if case.workers or case.cpus else ("whether the CPU behind the ring has time to spare",),
        next="more RX descriptors (and fewer again where caches are small); what keeps the worker away",
    )


def _plateau(case: Case) -> list[Evidence]:
    """Bursts cost a part of some loads; the same rate of any load beyond a knee, out of a ring that its worker keeps
    empty, is a limit of the NIC's own."""
    if not plateau_of_nic(case):
        return []
    return [
        Evidence("the same rate came in at all loads beyond the saturation point, and the worker had time", EXCLUDED)
    ]


def _missed(case: Case) -> list[Evidence]:
    found = {reason: n for reason, n in case.drops.items() if has(reason, RX_MISSED) and not has(reason, NIC_ITSELF)}
    backlog = sum(count for event, count in case.events.items() if "softnet dropped" in event)
    pieces = list(pieces_of(case, found))
    if pieces and backlog >= _MOST * sum(found.values()):
        pieces.append(Evidence(f"{backlog:,} of them died in a backlog behind the ring", EXCLUDED, "softnet_stat"))
    return pieces


def _refused(case: Case) -> list[Evidence]:
    """Refusals of shared-memory rings, which the sender counts. Without counters of the other side's workers, that
    side may simply be too slow."""
    share = case.load.refused_share
    if share < _MOST or not case.is_short:
        return []
    text = f"{share_text(share)} of what was lost found the DUT's ring full"
    return [Evidence(text, FAIR if case.busy else 0.0, case.load.source)]


def _workers(case: Case, *, is_away: bool) -> list[Evidence]:
    """Idle time shows that bursts filled the ring, unless the worker was preempted (`is_away`)."""
    full = [worker for worker in case.busy if worker.is_saturated]
    if full:
        text = f"{full[0].name} behind it is saturated: the ring is full since the CPU is"
        return [Evidence(text, EXCLUDED, full[0].source)]
    known = [(worker.idle, worker) for worker in case.busy if worker.idle is not None]
    if not known:
        return []
    idle, busiest = min(known, key=lambda one: one[0])
    if idle >= _TIME_LEFT:
        return [Evidence(idle_text(busiest), 0.0 if is_away else STRONG, busiest.source)]
    return [Evidence(idle_text(busiest), AGAINST if idle < _NO_TIME else 0.0, busiest.source)]


def _away(case: Case) -> list[Evidence]:
    away = longest_preemption(case)
    if away is None or not explains_loss(case, away):
        return []
    # Moments strike some loads and spare others; a burst longer than the ring finds it full each time.
    shares = shares_lost(case)
    bits = -FAIR if shares is not None and shares.is_steady else AGAINST
    return [Evidence(f"a worker was preempted for {share_text(away)} of the time, which explains it", bits)]
