"""A DUT without access: nothing is read from it."""

from __future__ import annotations

from wirespeed.dut.dut import DutReading
from wirespeed.results.dut import DutFacts, DutTelemetry


class NoDut:
    """Stands for a DUT of which nothing can be asked."""

    name = "unknown"

    def prepare(self) -> None:
        pass

    def describe(self) -> DutFacts:
        return DutFacts(self.name, "none")

    def reading(self) -> None:
        return None

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        return DutTelemetry()

    def collect(self) -> dict[str, str]:
        return {}

    def close(self) -> None:
        pass
