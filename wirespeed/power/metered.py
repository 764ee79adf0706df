"""A device under test with a power meter: its power becomes part of its telemetry, per sample."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from wirespeed.dut.dut import Dut, DutReading, TellsLater, TellsMemory, states_of
from wirespeed.dut.none import NoDut
from wirespeed.dut.states import DutStates
from wirespeed.power.log import PowerLog
from wirespeed.power.spec import parse_power
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.lab import MeterFacts

IDLE_S = 5.0
"""Time for which the DUT is measured before the load, unless the user gives its idle power."""


@dataclass(frozen=True)
class MeteredReading(DutReading):
    """`own` is what the device itself said."""

    own: DutReading | None = None


class MeteredDut:
    """Passes everything on to the device, and adds watts."""

    def __init__(self, dut: Dut, log: PowerLog) -> None:
        self.name = dut.name
        self._dut, self._log = dut, log

    def prepare(self) -> None:
        self._dut.prepare()

    def describe(self) -> DutFacts:
        return self._dut.describe()

    def reading(self) -> MeteredReading:
        return MeteredReading(time.monotonic(), own=self._dut.reading())

    def telemetry(self, before: DutReading | None, after: DutReading | None) -> DutTelemetry:
        told = self._dut.telemetry(_own(before), _own(after))
        if before is None or after is None:
            return told
        return replace(told, watts=self._log.between(before.at_s, after.at_s))

    def collect(self) -> dict[str, str]:
        return self._dut.collect()

    def fetch(self) -> None:
        if isinstance(self._dut, TellsLater):
            self._dut.fetch()

    def lasts(self, duration_s: float) -> None:
        if isinstance(self._dut, TellsLater):
            self._dut.lasts(duration_s)

    def told_between(self, began_s: float, ended_s: float) -> DutTelemetry | None:
        told = self._dut.told_between(began_s, ended_s) if isinstance(self._dut, TellsLater) else None
        return None if told is None else replace(told, watts=self._log.between(began_s, ended_s))

    def close(self) -> None:
        self._dut.close()

    def memory_bytes(self) -> int | None:
        return self._dut.memory_bytes() if isinstance(self._dut, TellsMemory) else None

    def states(self) -> DutStates | None:
        return states_of(self._dut)


def _own(reading: DutReading | None) -> DutReading | None:
    return reading.own if isinstance(reading, MeteredReading) else reading


@contextmanager
def metered(dut: Dut | None, power: str) -> Iterator[tuple[Dut | None, MeterFacts | None]]:
    """The device with the meter that `power` names, and what a result says of the meter; the device alone, and None,
    for an empty text. Errors as of `parse_power` and PowerLog."""
    if not power:
        yield dut, None
        return
    spec = parse_power(power)
    with PowerLog(spec.meter) as log:
        idle_w = spec.idle_w
        if idle_w is None:
            began_s = time.monotonic()
            time.sleep(IDLE_S)
            idle_w = log.between(began_s, time.monotonic())
        idle = "given" if spec.idle_w is not None else f"measured for {IDLE_S:g} s before the load"
        yield MeteredDut(dut or NoDut(), log), MeterFacts(spec.meter.name, spec.meter.of, idle_w, idle)
