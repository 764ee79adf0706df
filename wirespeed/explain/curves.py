"""Curves of a test: the shape of its loss over the load, and the cost of a packet. Pure.

A device that is too slow follows the load up to a knee and forwards no more beyond it (a cliff). One that loses bursts,
or is preempted now and then, loses a little from some load on (a slope). A bad link or a rule loses the same share at
any load (constant). A shape alone proves nothing. It is a hint for some causes and against others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev
from typing import Literal

from wirespeed.cases.facts import FRAME_VECTORS, SATURATED_VECTORS, CaseStep
from wirespeed.explain.words import cycles_text
from wirespeed.results.figures import loss_text, rate_text
from wirespeed.results.knee import Corner, corner

Shape = Literal["none", "cliff", "collapse", "slope", "constant"]

_STEPS = 4
_LEAST_LOSS = 2e-5
_LOW_LOAD = 0.5
"""Share of the highest load up to which a slow device loses nothing."""
_ALIKE = 3.0
_STEADY = 0.4
"""Standard deviation of the loss over its mean: moments strike some samples and spare others, a wire none."""
_CLEAR_LOSS = 1e-3
_FALLS = 0.95
"""Share of the rate at the knee that a device still forwards at the highest load; below it, it has collapsed."""
_SAME_COST = 0.05

_RATE_LIMITS = ("worker", "all-cpus", "queues", "placement", "pcie", "nic", "kernel-lock", "per-packet", "line-rate")
_SHARES_LOST = ("bad-wire", "impairment", "no-next-hop", "mtu")
SPEAKS_FOR: dict[Shape, tuple[str, ...]] = {
    "none": (),
    "cliff": _RATE_LIMITS,
    "collapse": ("softirq", "interrupts", "all-cpus", "tx-ring"),
    "slope": ("rx-overrun", "preemption"),
    "constant": _SHARES_LOST,
}
SPEAKS_AGAINST: dict[Shape, tuple[str, ...]] = {
    "none": (),
    "cliff": _SHARES_LOST,
    "collapse": _SHARES_LOST,
    "slope": (),
    "constant": _RATE_LIMITS,
}


@dataclass(frozen=True)
class LossShares:
    """Loss ratios up to `half_pps` and beyond; `is_steady` if it is the same share at all loads from the lowest on, so
    the received rate grows with the offered load."""

    half_pps: float
    below: float
    above: float
    is_steady: bool


def shares_lost(steps: Sequence[CaseStep]) -> LossShares | None:
    """None where too few loads are known, or nothing was lost at low ones."""
    loaded = [step for step in steps if step.offered_pps > 0]
    if len(loaded) < _STEPS:
        return None
    half = _LOW_LOAD * loaded[-1].offered_pps
    losses = [(step.offered_pps, step.loss_ratio) for step in loaded]
    low = [loss for pps, loss in losses if pps <= half]
    high = [loss for pps, loss in losses if pps > half]
    if len(low) < 2 or not high or fmean(low) < _LEAST_LOSS:
        return None
    below, above = fmean(low), fmean(high)
    steady = pstdev(low) <= _STEADY * below and 1 / _ALIKE <= above / below <= _ALIKE
    return LossShares(half, below, above, steady and _is_share(loaded, below))


def _is_share(loaded: Sequence[CaseStep], ratio: float) -> bool:
    """True if the lowest loads lost that share too, and the received rate grew with the load. A device whose knee is at
    a few percent of the load loses most of nearly all loads, and forwards the same rate of each."""
    least = sorted(loaded, key=lambda step: step.offered_pps)[:_LEAST_LOADS]
    first, last = least[0], max(loaded, key=lambda step: step.offered_pps)
    if fmean(step.loss_ratio for step in least) < ratio / _ALIKE or first.received_pps <= 0:
        return first.received_pps <= 0 and last.received_pps <= 0
    grew = last.received_pps / first.received_pps
    return grew >= _GROWS * last.offered_pps / first.offered_pps


_LEAST_LOADS = 2
_GROWS = 0.5


@dataclass(frozen=True)
class LossCurve:
    """`text` says the shape with its figures; `knee` is where received stops following offered, of a cliff."""

    shape: Shape
    text: str
    knee: Corner | None = None

    def speaks(self, cause: str) -> int:
        """1 for it, -1 against it, 0 for neither."""
        return (cause in SPEAKS_FOR[self.shape]) - (cause in SPEAKS_AGAINST[self.shape])


def loss_curve(steps: Sequence[CaseStep]) -> LossCurve | None:
    """None of fewer than four loads, which are not a curve, and where a single one lost something."""
    loaded = sorted((step for step in steps if step.offered_pps > 0), key=lambda step: step.offered_pps)
    if len(loaded) < _STEPS or loaded[0].offered_pps > _LOW_LOAD * loaded[-1].offered_pps:
        return None
    shares = shares_lost(loaded)
    if shares is not None and shares.is_steady:
        return LossCurve("constant", f"one share is lost at all loads: {loss_text(shares.below)}")
    most = loaded[-1]
    knee = corner([step.offered_pps for step in loaded], [step.received_pps for step in loaded])
    if knee is not None:
        last = fmean(step.received_pps for step in loaded[-2:])
        if last < _FALLS * knee.plateau or last < _FALLS * knee.at:
            text = f"beyond {rate_text(knee.at)} it forwards less than at the knee: {rate_text(last)} of "
            return LossCurve("collapse", f"{text}{rate_text(most.offered_pps)} offered", knee)
        text = f"all comes back up to {rate_text(knee.at)}, and {rate_text(knee.plateau)} of any load beyond"
        return LossCurve("cliff", text, knee)
    lossy = [step for step in loaded if step.loss_ratio > _CLEAR_LOSS]
    if not lossy:
        return LossCurve("none", f"no load up to {rate_text(most.offered_pps)} lost more than {loss_text(_CLEAR_LOSS)}")
    if len(lossy) < 2:
        return None
    worst = max(lossy, key=lambda step: step.loss_ratio)
    text = (
        f"{len(lossy)} of {len(loaded)} loads lost something, from {rate_text(lossy[0].offered_pps)} on, the most "
        f"{loss_text(worst.loss_ratio)} of {rate_text(worst.offered_pps)}: no saturation point"
    )
    return LossCurve("slope", text)


@dataclass(frozen=True)
class CostCurve:
    """Cost of a packet over the load, in ticks without polling. `least` has the lowest cost; `turns`: above that load
    the cost rises clearly again; `full_pps` is the lowest load with full vectors."""

    first: CaseStep
    least: CaseStep
    last: CaseStep
    turns: bool
    full_pps: float | None

    @property
    def text(self) -> str:
        first, least, last = (cycles_text(step.cycles or 0.0) for step in (self.first, self.least, self.last))
        said = f"{first} cycles per packet at {rate_text(self.first.offered_pps)}{_found(self.first)}"
        if self.least is not self.first:
            said += f", {least} at {rate_text(self.least.offered_pps)}{_found(self.least)}"
        if self.turns:
            said += (
                f", then {last} at {rate_text(self.last.offered_pps)}{_found(self.last)}: the cost rises again there"
            )
        elif (self.least.cycles or 0) < (1 - _SAME_COST) * (self.first.cycles or 0):
            said += ": larger vectors make it cheaper"
        if self.full_pps is not None:
            said += f"; vectors are full ({FRAME_VECTORS}) from {rate_text(self.full_pps)} on"
        return said


def cost_curve(steps: Sequence[CaseStep]) -> CostCurve | None:
    """None of fewer than four loads whose cost is known."""
    known = sorted((step for step in steps if step.cycles), key=lambda step: step.offered_pps)
    if len(known) < _STEPS:
        return None
    smooth = _smoothed(known)
    least = min(smooth, key=lambda step: step.cycles or 0.0)
    last = smooth[-1]
    turns = (last.cycles or 0.0) > (1 + _SAME_COST) * (least.cycles or 0.0)
    full = [step.offered_pps for step in smooth if (step.vectors or 0.0) >= SATURATED_VECTORS]
    return CostCurve(smooth[0], least, last, turns, min(full, default=None))


def _smoothed(steps: Sequence[CaseStep]) -> list[CaseStep]:
    """Means of three neighbours where there are many: one sample in which a CPU was away is not a turn."""
    if len(steps) < 3 * _STEPS:
        return list(steps)
    groups = [steps[at : at + 3] for at in range(0, len(steps) - 2, 3)]
    return [
        CaseStep(
            fmean(step.offered_pps for step in group),
            fmean(step.received_pps for step in group),
            fmean(step.cycles or 0.0 for step in group),
            fmean(step.vectors or 0.0 for step in group),
        )
        for group in groups
    ]


def _found(step: CaseStep) -> str:
    return "" if step.vectors is None else f" ({step.vectors:.3g} per call)"
