"""The CPU runs below its clock: heat or power limits, or a governor that saves.

Events count throttling; a worker that never rests accounts for its clock, so less than the nominal one is less clock,
unless the TSC counts at another rate.
"""

from __future__ import annotations

from wirespeed.explain.evidence import FAIR, STRONG, Evidence, Finding
from wirespeed.explain.facts import Case

NAME = "throttling"
_SLOW = 0.9


def look(case: Case) -> Finding | None:
    pieces = []
    throttled = sum(count for event, count in case.events.items() if "throttl" in event)
    if throttled:
        pieces.append(Evidence(f"{throttled:,} times throttled", STRONG, "thermal_throttle"))
    now = {name: value for name, value in case.events.items() if name.endswith(" now MHz")}
    most = {name: value for name, value in case.events.items() if name.endswith(" nominal MHz")}
    if now and most and min(now.values()) < _SLOW * max(most.values()):
        text = f"{min(now.values())} MHz under load, {max(most.values())} nominal"
        pieces.append(Evidence(text, STRONG if throttled else FAIR + FAIR, "cpufreq"))
    if not pieces:
        return None
    return Finding(NAME, "the CPU is throttled", tuple(pieces), next="temperatures; `governor performance`; cooling")
