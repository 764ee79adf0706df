"""What the CPUs, NICs and sensors of a device under test told over one interval, and their JSON in result files.

"cpus": [{"cpu": 0, "seconds": {"softirq": 0.81, "idle": 0.19}, "softirqs": {"NET_RX": 17000},
          "softnet": {"processed": 250000, "time_squeeze": 3}, "interrupts": {"eth0-rx-0": 120}}, …],
"nics": {"e0": {"rx_missed_errors": 12}}, "counters": {"IpForwDatagrams": 250000},
"temperatures_c": {"coretemp": 61.0}, "frequencies_hz": {"0": 2200000000}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wirespeed.results.json_values import LARGEST, as_object


@dataclass(frozen=True)
class CpuLoad:
    """One CPU: seconds by class (user, system, irq, softirq, steal, idle and so on), counts of softirqs by kind, of
    softnet's packets and events, of interrupts by their names. What did not happen is left out."""

    cpu: int
    seconds: dict[str, float] = field(default_factory=dict)
    softirqs: dict[str, int] = field(default_factory=dict)
    softnet: dict[str, int] = field(default_factory=dict)
    interrupts: dict[str, int] = field(default_factory=dict)

    @property
    def busy(self) -> float | None:
        """The share of its time that it was not idle; None when it has no time."""
        total = sum(self.seconds.values())
        idle = self.seconds.get("idle", 0.0) + self.seconds.get("iowait", 0.0)
        return 1 - idle / total if total > 0 else None

    def to_json(self) -> dict[str, Any]:
        groups: dict[str, Mapping[str, float]] = {
            "seconds": self.seconds,
            "softirqs": self.softirqs,
            "softnet": self.softnet,
            "interrupts": self.interrupts,
        }
        return {"cpu": self.cpu} | {name: dict(group) for name, group in groups.items() if group}

    @classmethod
    def from_json(cls, raw: Any, where: str) -> CpuLoad:
        """ValueError says what is wrong, and `where`."""
        raw = as_object(raw, where)
        if not isinstance(raw.get("cpu"), int):
            raise ValueError(f"{where} has no number")
        return cls(
            cpu=raw["cpu"],
            seconds=numbers(raw.get("seconds", {}), f"seconds of {where}"),
            softirqs=counts(raw.get("softirqs", {}), f"softirqs of {where}"),
            softnet=counts(raw.get("softnet", {}), f"softnet of {where}"),
            interrupts=counts(raw.get("interrupts", {}), f"interrupts of {where}"),
        )


@dataclass(frozen=True)
class MachineLoad:
    """A device's machine. `nics` are counters of drivers by interface, `counters` those of its network stack, both of
    the interval and without those that stood still; temperatures and frequencies are of its end."""

    cpus: tuple[CpuLoad, ...] = ()
    nics: dict[str, dict[str, int]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    temperatures_c: dict[str, float] = field(default_factory=dict)
    frequencies_hz: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        groups: dict[str, Mapping[str, Any]] = {
            "nics": self.nics,
            "counters": self.counters,
            "temperatures_c": self.temperatures_c,
            "frequencies_hz": self.frequencies_hz,
        }
        out: dict[str, Any] = {"cpus": [cpu.to_json() for cpu in self.cpus]} if self.cpus else {}
        return out | {name: dict(group) for name, group in groups.items() if group}

    @classmethod
    def from_json(cls, raw: Mapping[str, Any], where: str) -> MachineLoad | None:
        """The part of a sample's `dut` object that is the machine's; None of one that tells nothing of it."""
        cpus = raw.get("cpus", [])
        if not isinstance(cpus, list):
            raise ValueError(f"cpus of {where} is not a list")
        nics = as_object(raw.get("nics", {}), f"nics of {where}")
        load = cls(
            cpus=tuple(CpuLoad.from_json(cpu, f"CPU {index} of {where}") for index, cpu in enumerate(cpus)),
            nics={name: counts(row, f"{name} of {where}") for name, row in nics.items()},
            counters=counts(raw.get("counters", {}), f"counters of {where}"),
            temperatures_c=numbers(raw.get("temperatures_c", {}), f"temperatures of {where}"),
            frequencies_hz=numbers(raw.get("frequencies_hz", {}), f"frequencies of {where}"),
        )
        return load if load != cls() else None


def counts(raw: Any, where: str) -> dict[str, int]:
    """Whole numbers by name."""
    found = as_object(raw, where)
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in found.values()):
        raise ValueError(f"{where} has something that is not a whole number")
    return dict(found)


def numbers(raw: Any, where: str) -> dict[str, float]:
    found = as_object(raw, where)
    for value in found.values():
        if not isinstance(value, int | float) or isinstance(value, bool) or not abs(value) < LARGEST:
            raise ValueError(f"{where} has something that is not a sensible number")
    return {name: float(value) for name, value in found.items()}
