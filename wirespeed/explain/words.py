"""Figures that only explanations say."""

from __future__ import annotations

from wirespeed.cases.facts import Worker
from wirespeed.results.figures import three_digits


def share_text(ratio: float) -> str:
    """0 to 1 as percent: `33.7 %`."""
    return f"{three_digits(100 * ratio)} %"


def idle_text(worker: Worker) -> str:
    """`w0 found no packets for 25.0 % of the time`."""
    share = share_text(worker.idle or 0.0)
    if worker.idle_share is None:
        return f"{worker.name} found nothing at {share} of its looks at the queues"
    return f"{worker.name} found no packets for {share} of the time"


def clock_text(hz: float | None) -> str:
    """`2.2 GHz`."""
    return "at an unknown clock" if hz is None else f"{hz / 1e9:.3g} GHz"


def cycles_text(cycles: float) -> str:
    """`182`, `5,240`, `37.2`: three digits are more than a clock tells."""
    return f"{cycles:,.0f}" if cycles >= 100 else f"{cycles:.3g}"


def seconds_text(seconds: float) -> str:
    """`67 ns`, `1.2 µs`."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
