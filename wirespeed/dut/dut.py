"""Interface of a device under test for a measurement: description, preparation, readings, texts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from wirespeed.dut.states import DutStates
from wirespeed.results.dut import DutFacts, DutTelemetry


@dataclass(frozen=True)
class DutReading:
    """Counters as they stood at one instant (`at_s` of the monotonic clock), for the DUT that took it. With `error`
    it could not be read then, and the reading holds nothing else."""

    at_s: float
    error: str | None = None


class Dut(Protocol):
    """A device under test. Only `prepare` and `describe` raise: if the device is too busy to be read, the measurement
    continues."""

    name: str

    def prepare(self) -> None:
        """Make ready to read it; to be called once it runs. ConnectionFault or EnvironmentFault when it cannot be."""

    def describe(self) -> DutFacts:
        """Description of the prepared device."""

    def reading(self) -> DutReading | None:
        """Its current counters; None for a device without telemetry. Quick: some hundred microseconds."""

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        """Telemetry between two readings. With `error`, and without counts, if either reading failed or the counters
        were reset in between."""

    def collect(self) -> dict[str, str]:
        """Texts to store in the result, by the command or file that they are from."""

    def close(self) -> None:
        """Let go of what `prepare` took. Harmless when repeated."""


def with_texts(facts: DutFacts, dut: Dut | None) -> DutFacts:
    """The facts with the texts of the device, if it has any. To be called when no load is on any more."""
    texts = dut.collect() if dut is not None else {}
    return replace(facts, texts=texts) if texts else facts


@runtime_checkable
class TellsLater(Protocol):
    """A device that records its counters under load and reports them afterwards."""

    def lasts(self, duration_s: float) -> None:
        """Set the duration of the measurement; call it before `prepare`."""

    def fetch(self) -> None:
        """Fetch what it has recorded. Raises nothing."""

    def told_between(self, began_s: float, ended_s: float) -> DutTelemetry | None:
        """Telemetry fetched for a time, by the monotonic clock; None from a device that has reported everything at its
        readings."""


@runtime_checkable
class TellsMemory(Protocol):
    """A device whose process runs on this machine."""

    def memory_bytes(self) -> int | None:
        """Resident memory of its process, without hugepages; None while it is not known."""


@runtime_checkable
class TellsStates(Protocol):
    """A device that may keep states of flows: NAT or a firewall."""

    def states(self) -> DutStates | None:
        """Its state table; None of a device that has none."""


def states_of(dut: Dut | None) -> DutStates | None:
    """The state table of a device; None if it has none, or cannot be asked."""
    return dut.states() if isinstance(dut, TellsStates) else None
