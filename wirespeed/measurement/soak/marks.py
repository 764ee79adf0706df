"""Port counters in a soak's file, from which a soak resumes. Pure."""

from __future__ import annotations

from dataclasses import fields

from wirespeed.client.readings import PortStats
from wirespeed.measurement.soak.result import CounterReading
from wirespeed.trial.reading import TrialReading

_KIND = "kind "
_PLAIN = [one.name for one in fields(PortStats) if one.name not in ("kinds", "at_s")]


def counters_of(reading: TrialReading) -> CounterReading:
    ports = {
        port: {name: value for name in _PLAIN if (value := getattr(stats, name)) is not None}
        | {_KIND + kind: count for kind, count in stats.kinds.items()}
        for port, stats in reading.ports.items()
    }
    return CounterReading(reading.at_s, ports, dict(reading.test_frames))


def reading_of(counters: CounterReading) -> TrialReading:
    """ValueError where a counter that all ports have is missing."""
    ports = {}
    for port, counts in counters.ports.items():
        known = {name: count for name, count in counts.items() if name in _PLAIN}
        kinds = {name.removeprefix(_KIND): count for name, count in counts.items() if name.startswith(_KIND)}
        try:
            ports[port] = PortStats(**known, kinds=kinds)
        except TypeError as error:
            raise ValueError(f"counters of port {port}: {error}") from None
    return TrialReading(at_s=counters.at_s, ports=ports, test_frames=counters.test_frames)


def went_on(before: CounterReading, now: TrialReading) -> bool:
    """True if `now` is a later reading of the same counters."""
    old = reading_of(before)
    if set(old.ports) != set(now.ports) or any(
        count > now.test_frames.get(wire, 0) for wire, count in old.test_frames.items()
    ):
        return False
    return not any(stats.went_back(old.ports[port]) for port, stats in now.ports.items())
