"""A remote DUT in a measurement: a collector on the device samples it, and the samples are fetched after the load."""

from __future__ import annotations

import time
from collections.abc import Sequence

from wirespeed.dut.collector import LEAST_INTERVAL_S, MOST_S, DutCollector, KeptSample
from wirespeed.dut.device import DutDevice
from wirespeed.dut.dut import DutReading
from wirespeed.dut.plan import texts_of
from wirespeed.dut.states import DutStates
from wirespeed.errors import WirespeedError
from wirespeed.results.dut import DutFacts, DutTelemetry

_PATIENCE_S, _MORE_PATIENCE_S = 120.0, 10.0
"""A DUT that was at line rate may answer late. After a fault, the shorter wait applies."""

BEFORE = "before: "
"""Texts from before the load are kept under their command with this in front."""


class RemoteDut:
    """A device whose counters `fetch` reads after the load; until then its telemetry is empty. `is_of_lab`: a guest of
    the lab, with a filter."""

    def __init__(self, device: DutDevice, interval_s: float = 1.0, *, is_of_lab: bool = False) -> None:
        self._is_of_lab = is_of_lab
        self.name = device.name
        self._device = device
        self._collector = DutCollector(device.reach, device.kind.sample, interval_s)
        self._before: dict[str, str] = {}
        self._facts = DutFacts(device.name, device.kind.name)
        self._fault: str | None = None

    def prepare(self) -> None:
        self._before = texts_of(self._device.kind, self._device.reach)
        self._facts = self._device.kind.describe(self.name, self._before)
        self._collector.start()

    def describe(self) -> DutFacts:
        return self._facts

    def reading(self) -> DutReading:
        return DutReading(time.monotonic())

    def lasts(self, duration_s: float) -> None:
        """Samples are as far apart as they have to be for those of all that time to be kept."""
        self._collector.interval_s = max(self._collector.interval_s, duration_s / MOST_S * LEAST_INTERVAL_S)

    def fetch(self) -> None:
        """Read the samples. The error of a device that does not answer becomes that of its telemetry."""
        try:
            self._collector.fetch(_PATIENCE_S if self._fault is None else _MORE_PATIENCE_S)
            self._fault = None
        except WirespeedError as error:
            self._fault = str(error)

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        if before is None or after is None:
            return DutTelemetry(error=self._fault)
        return self.told_between(before.at_s, after.at_s)

    def told_between(self, began_s: float, ended_s: float) -> DutTelemetry:
        if self._fault is not None:
            return DutTelemetry(error=self._fault)
        kept = self._collector.between(began_s, ended_s)
        return self._load(kept) if len(kept) > 1 else DutTelemetry()

    def _load(self, kept: Sequence[KeptSample]) -> DutTelemetry:
        return self._device.kind.load([one.text for one in kept], kept[-1].at_s - kept[0].at_s)

    def intervals(self) -> list[DutTelemetry]:
        """Telemetry of the fetched samples, from each to the next."""
        return [self._load(pair) for pair in zip(self._collector.samples, self._collector.samples[1:], strict=False)]

    def collect(self) -> dict[str, str]:
        """Also stops the collector, whose cost is then known."""
        try:
            self._collector.stop(_PATIENCE_S if self._fault is None else _MORE_PATIENCE_S)
            after = texts_of(self._device.kind, self._device.reach)
        except WirespeedError as error:
            after = {"error": f"{error}\n"}
        cost = self._collector.cost_percent
        told = {} if cost is None else {"collector": f"{cost:.2g} % of one CPU of the DUT\n"}
        return after | told | {f"{BEFORE}{command}": text for command, text in self._before.items()}

    def states(self) -> DutStates | None:
        kind = self._device.kind.states
        return None if kind is None else DutStates(kind, self._device.reach, is_of_lab=self._is_of_lab)

    def close(self) -> None:
        try:
            self._collector.stop(_MORE_PATIENCE_S)
        except WirespeedError:
            pass  # it ends by itself
        finally:
            self._device.reach.close()
