"""CPUs, NICs and sensors of a device under test over one interval, and their JSON in result files.

"cpus": [{"cpu": 0, "seconds": {"softirq": 0.81, "idle": 0.19}, "softirqs": {"NET_RX": 17000},
          "softnet": {"processed": 250000, "time_squeeze": 3}, "interrupts": {"eth0-rx-0": 120}}, …],
"nics": {"e0": {"rx_missed_errors": 12}}, "counters": {"IpForwDatagrams": 250000},
"temperatures_c": {"coretemp": 61.0}, "frequencies_hz": {"0": 2200000000}
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from wirespeed.results.codec import SPARSE


@dataclass(frozen=True)
class CpuLoad:
    """One CPU: seconds by class (user, system, irq, softirq, steal, idle and so on), softirqs by kind, packets and
    events of softnet, interrupts by name. Zero values are omitted."""

    cpu: int
    seconds: Annotated[dict[str, float], SPARSE] = field(default_factory=dict)
    softirqs: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    softnet: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    interrupts: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)

    @property
    def busy(self) -> float | None:
        """The share of its time that it was not idle; None when it has no time."""
        total = sum(self.seconds.values())
        idle = self.seconds.get("idle", 0.0) + self.seconds.get("iowait", 0.0)
        return 1 - idle / total if total > 0 else None


@dataclass(frozen=True)
class MachineLoad:
    """The DUT's machine. `nics` are driver counters by interface, `counters` those of its network stack, both over the
    interval and without counters that did not change; temperatures and frequencies are read at its end."""

    cpus: Annotated[tuple[CpuLoad, ...], SPARSE] = ()
    nics: Annotated[dict[str, dict[str, int]], SPARSE] = field(default_factory=dict)
    counters: Annotated[dict[str, int], SPARSE] = field(default_factory=dict)
    temperatures_c: Annotated[dict[str, float], SPARSE] = field(default_factory=dict)
    frequencies_hz: Annotated[dict[str, float], SPARSE] = field(default_factory=dict)
