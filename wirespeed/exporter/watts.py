"""A power meter as a target: watts at the wall, or of a part of the DUT."""

from __future__ import annotations

from wirespeed.errors import ConnectionFault
from wirespeed.exporter.told import TargetValues
from wirespeed.power.meter import MeterFault, PowerMeter


class PowerTarget:
    kind = "power"

    def __init__(self, name: str, meter: PowerMeter) -> None:
        self.name = name
        self._meter = meter

    def read(self) -> TargetValues:
        try:
            watts = self._meter.watts()
        except MeterFault as fault:
            raise ConnectionFault(f"{self._meter.name} returned no power reading: {fault}") from None
        told = TargetValues()
        told.add("power_watts", [((self.name, self._meter.name, self._meter.of), watts)])
        return told
