"""Whether one and the same share is lost at all loads."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean, pstdev

from wirespeed.explain.facts import Case

_LEAST_LOSS = 2e-5
_LOW_LOAD = 0.5
"""Of the highest load: up to there a device that is too slow loses nothing."""
_ALIKE = 3.0
_STEADY = 0.4
"""Standard deviation of the loss over its mean: moments strike some samples and spare others, a wire none."""
_STEPS = 4


@dataclass(frozen=True)
class Shares:
    """Loss ratios up to `half_pps` and beyond; `is_steady` when it is one share at all loads."""

    half_pps: float
    below: float
    above: float
    is_steady: bool


def shares_lost(case: Case) -> Shares | None:
    """None where too few loads are known, or nothing was lost at low ones."""
    steps = [step for step in case.steps if step.offered_pps > 0]
    if len(steps) < _STEPS:
        return None
    half = _LOW_LOAD * steps[-1].offered_pps
    losses = [(step.offered_pps, max(0.0, 1 - step.received_pps / step.offered_pps)) for step in steps]
    low = [loss for pps, loss in losses if pps <= half]
    high = [loss for pps, loss in losses if pps > half]
    if len(low) < 2 or not high or fmean(low) < _LEAST_LOSS:
        return None
    below, above = fmean(low), fmean(high)
    steady = pstdev(low) <= _STEADY * below and 1 / _ALIKE <= above / below <= _ALIKE
    return Shares(half, below, above, steady)
