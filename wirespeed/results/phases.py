"""Phases of the samples in a file without phases: warm-up, ramp and hold by their loads and times. Pure.

trex-loadtest writes no phases, and leaves out its warm-up: of a test of 30 + 600 + 30 s it keeps 632 samples. Its ramp
rises from nothing by the same step each second, so that a line through the loads of a ramp meets zero where it began.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from statistics import fmean

from wirespeed.errors import UsageError
from wirespeed.units import parse_rate

_LOW, _HIGH = 0.1, 0.6
"""Shares of the highest load between which the line is fitted: neither warm-up nor a tester's own limit."""
_LEAST_SAMPLES = 5
_LINES, _SMOOTHED = 2, 1.5
"""Directions that a warm-up is sent in at most, and how far smoothed rates swing above it."""
_FOLLOWS = 0.05
"""Share of the highest load by which the loads of a ramp may differ from that line."""


@dataclass(frozen=True)
class PhaseTimes:
    """Durations of the phases of a load test, and the rate of its warm-up as it was asked for."""

    warmup_s: float
    rampup_s: float
    hold_s: float
    warmup_rate: str = ""


def phases_of(times_s: Sequence[float], loads_pps: Sequence[float], times: PhaseTimes) -> list[str]:
    """The phase of each sample, whose ends and loads those are."""
    began_s = _ramp_began(times_s, loads_pps)
    if began_s is None:
        # No ramp to be seen in it: what there is more than ramp and hold is warm-up.
        began_s = (times_s[-1] if times_s else 0.0) - times.rampup_s - times.hold_s
    else:
        began_s = min(began_s, _flat_until(times_s, loads_pps, times))
    began_s = min(max(0.0, began_s), times.warmup_s)
    return ["warm-up" if t_s <= began_s else "ramp" if t_s <= began_s + times.rampup_s else "hold" for t_s in times_s]


def _flat_until(times_s: Sequence[float], loads_pps: Sequence[float], times: PhaseTimes) -> float:
    """The end of the first samples that have no more than the load of the warm-up. Rates that T-Rex smoothed lag behind
    its ramp, so that a line through them seems to begin some seconds after it."""
    warmup_pps = _pps_of(times.warmup_rate)
    if warmup_pps is None:
        return times_s[-1]
    step_pps = max(loads_pps) / times.rampup_s if times.rampup_s > 0 else 0.0
    flat = takewhile(
        lambda pair: pair[1] <= max(step_pps, _LINES * _SMOOTHED * warmup_pps), zip(times_s, loads_pps, strict=True)
    )
    return max((t_s for t_s, _ in flat), default=0.0)


def _pps_of(rate: str) -> float | None:
    """Packets per second of a rate that is told so; None of percentages and bits."""
    try:
        parsed = parse_rate(rate)
    except UsageError:
        return None
    return parsed.value if parsed.unit == "pps" else None


def _ramp_began(times_s: Sequence[float], loads_pps: Sequence[float]) -> float | None:
    """Time at which the load was zero, from the rise up to its greater part; None if the loads do not rise linearly."""
    top = max(loads_pps, default=0.0)
    rising = list(takewhile(lambda pair: pair[1] <= _HIGH * top, zip(times_s, loads_pps, strict=True)))
    rising = [(t_s, pps) for t_s, pps in rising if pps >= _LOW * top]
    if top <= 0 or len(rising) < _LEAST_SAMPLES:
        return None
    mean_s, mean_pps = fmean(t_s for t_s, _ in rising), fmean(pps for _, pps in rising)
    spread = sum((t_s - mean_s) ** 2 for t_s, _ in rising)
    slope = sum((t_s - mean_s) * (pps - mean_pps) for t_s, pps in rising) / spread if spread else 0.0
    if slope <= 0 or any(abs(mean_pps + slope * (t_s - mean_s) - pps) > _FOLLOWS * top for t_s, pps in rising):
        return None
    return round(mean_s - mean_pps / slope)
