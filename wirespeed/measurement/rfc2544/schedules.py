"""Times of recovery and reset from counters. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class MissingFrames:
    """Frames of a direction that were sent and have not come back, at a time: those lost, and those under way."""

    at_s: float
    frames: float


def recovery_s(readings: Sequence[MissingFrames], cut_s: float) -> float:
    """Seconds from `cut_s`, when the load was reduced, until nothing more was lost.

    Frames under way hide the very last loss: the time is that from which on only as many are missing
    as in the second half of `readings`, which is steady. It is thus never less than to the last loss; a queue that
    is still long is part of it.
    """
    if not readings:
        return 0.0
    steady = [one.frames for one in readings[len(readings) // 2 :]]
    low, high = min(steady), max(steady)
    late = [index for index, one in enumerate(readings) if not low <= one.frames <= high]
    if not late:
        return 0.0
    return max(0.0, readings[late[-1] + 1].at_s - cut_s)


def outage_s(steady_pps: float, received: float, elapsed_s: float) -> float:
    """RFC 6201: frames lost over their rate. `received` came back in `elapsed_s`, of a load that is on all the time and
    of which `steady_pps` came back before."""
    return max(0.0, elapsed_s - received / steady_pps) if steady_pps > 0 else 0.0
