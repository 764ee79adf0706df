"""The case of a burst test: the bursts that set the length, or the longest."""

from __future__ import annotations

from statistics import fmean

from wirespeed.cases.facts import Case
from wirespeed.cases.trials import Tried, case_of, idle_watts
from wirespeed.measurement.burst.result import BurstResult


def cases_of(result: BurstResult, source: str) -> tuple[Case, ...]:
    """() of a test without a burst."""
    if result.is_empty:
        return ()
    longest = max(one.frames for one in result.trials)
    chosen = result.lossy_trials or tuple(one for one in result.trials if one.frames == longest)
    tried = Tried(
        name=result.name,
        source=source,
        variables=result.variables,
        dut=result.dut,
        ports=result.ports,
        directions=result.directions,
        frame_bytes=fmean(result.frame_bytes.values()) if result.frame_bytes else None,
        idle_w=idle_watts(result.lab),
    )
    what = "of the shortest burst that lost frames" if result.lossy_trials else "of the longest burst"
    return (case_of(tried, [one.judged for one in chosen], [one.judged for one in result.trials], what),)
