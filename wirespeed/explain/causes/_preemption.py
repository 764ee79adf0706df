"""Whether the moments in which a worker did not have its CPU explain what was lost."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.results.machine import explained

_LEAST = 0.002
_LEAST_RING = 256


def longest_preemption(case: Case) -> float | None:
    """The largest share of the time that a worker was away, 0 to 1; None where nobody measured, or it is too little to
    tell. A preemption counts where it ends, so an interval can have more of it than its own length."""
    shares = [w.preempted_s / w.interval_s for w in case.workers if w.preempted_s is not None and w.interval_s > 0]
    return min(1.0, max(shares)) if shares and max(shares) >= _LEAST else None


def explains_loss(case: Case, share: float) -> bool:
    loss = case.load.loss_ratio
    return loss is not None and loss > 0 and explained(loss, share) and not rings_hold(case)


def rings_hold(case: Case) -> bool:
    """Whether what comes during the longest absence fits any ring: then none of it costs a packet."""
    preempted_s, pps = case.load.longest_preemption_s, case.load.offered_pps
    return preempted_s is not None and pps is not None and preempted_s * pps / case.load.directions < _LEAST_RING
