"""Loss explained by preemption of workers."""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.words import share_text
from wirespeed.results.machine import explained

ALMOST_ALL = 0.9
"""Share of the samples that lost packets: from here on preemption explains the loss of the test."""
_LEAST = 0.002
_LEAST_RING = 256


def longest_preemption(case: Case) -> float | None:
    """The largest share of the time, 0 to 1, for which a worker was preempted; None if it was not measured or is
    negligible. A preemption counts where it ends, so an interval may have more of it than its own length."""
    shares = [w.preempted_s / w.interval_s for w in case.workers if w.preempted_s is not None and w.interval_s > 0]
    return min(1.0, max(shares)) if shares and max(shares) >= _LEAST else None


def explains_loss(case: Case, share: float) -> bool:
    loss = case.load.loss_ratio
    return loss is not None and loss > 0 and explained(loss, share) and not rings_hold(case)


def rings_hold(case: Case) -> bool:
    """True if the packets of the longest preemption fit into any ring, so that none is lost."""
    preempted_s, pps = case.load.longest_preemption_s, case.load.offered_pps
    return preempted_s is not None and pps is not None and preempted_s * pps / case.load.directions < _LEAST_RING


def disturbed_text(share: float) -> str:
    return f"CPUs were preempted in {share_text(share)} of the samples that lost packets"
