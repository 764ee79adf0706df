"""The CPU runs below its clock: heat or power limits, or a power-saving governor.

Counters show how often it was throttled. Without them, a clock under load below nine tenths of the rated one is
evidence. In a virtual machine these values are whatever its host shows.
"""

from __future__ import annotations

from wirespeed.cases.facts import Case
from wirespeed.explain.evidence import AGAINST, FAIR, STRONG, CauseFinding, Evidence
from wirespeed.explain.words import clock_text

NAME = "throttling"
_SLOW = 0.9
_HOT_C = 95.0


def look(case: Case) -> CauseFinding | None:
    machine = case.machine
    pieces = []
    if machine.throttled:
        pieces.append(Evidence(f"{machine.throttled:,} times throttled", STRONG, "thermal_throttle"))
    known = [(clock.share, clock) for clock in machine.clocks if clock.share is not None]
    if known and not machine.hypervisor:
        share, slowest = min(known, key=lambda one: one[0])
        text = f"{slowest.cpu} ran at {clock_text(slowest.now_hz)} under load, rated {clock_text(slowest.rated_hz)}"
        slow = STRONG if machine.throttled else FAIR + FAIR
        pieces.append(Evidence(text, slow if share < _SLOW else AGAINST, slowest.source))
    hottest = max(machine.temperatures_c.items(), key=lambda one: one[1], default=("", 0.0))
    if hottest[1] >= _HOT_C:
        pieces.append(Evidence(f"{hottest[0]} at {hottest[1]:.0f} °C", FAIR, machine.source))
    if machine.governor == "powersave" and known and min(share for share, _ in known) < _SLOW:
        pieces.append(Evidence("its governor is powersave", FAIR, machine.source))
    if not pieces:
        return None
    return CauseFinding(
        NAME, "the CPU is throttled", tuple(pieces), next="temperatures; `governor performance`; cooling"
    )
