"""A device under test somewhere, by what `wirespeed dut collect` asks of its kind: its CPUs, interrupts, NICs, heat."""

from __future__ import annotations

import re
import time

from wirespeed.dut.device import DutDevice
from wirespeed.dut.kinds.linux_load import parts_of
from wirespeed.errors import ConnectionFault
from wirespeed.exporter.told import Labels, TargetValues
from wirespeed.results.dut_cpu import MachineLoad

_MOST_KEYS = 20_000
_MODULES = """
echo; echo '==> modules <=='
for d in /sys/bus/*/devices/*/net/*; do i=${d##*/}
ethtool -m $i 2>/dev/null | grep 'Module temperature *:' | sed "s/^/$i /"; done"""
"""Pluggable modules, of Linux alone; after what its kind asks for, under a head of the same form."""


class DeviceTarget:
    """A device, read by one command at a time. Its counters are summed here from one answer to the next, since some
    kinds of devices report only differences. If a device restarts, the counts since the last answer are lost, and the
    sums go on from there."""

    kind = "dut"

    def __init__(self, name: str, device: DutDevice, timeout_s: float) -> None:
        self.name = name
        self._device = device
        self._timeout_s = timeout_s
        self._last: tuple[float, str] | None = None
        self._sums: dict[tuple[str, Labels], float] = {}
        self._began = 0

    def read(self) -> TargetValues:
        kind = self._device.kind
        ran = self._device.reach.run(
            kind.sample + (_MODULES if kind.name == "linux" else ""), timeout_s=self._timeout_s
        )
        if not ran.out.strip():
            raise ConnectionFault(f"{self._device.name} returned no counters: {ran.why}")
        now = (time.monotonic(), ran.out)
        before, self._last = self._last or now, now
        load = kind.load([before[1], now[1]], max(now[0] - before[0], 1e-3))
        if load.error:
            self._began += 1
        values = TargetValues(began=self._began)
        machine = load.machine
        if machine is not None:
            self._count(machine)
            values.add("dut_temperature_celsius", [((self.name, k), v) for k, v in machine.temperatures_c.items()])
            values.add("dut_cpu_frequency_hertz", [((self.name, k), v) for k, v in machine.frequencies_hz.items()])
        hot = modules_of(now[1])
        values.add("module_temperature_celsius", [((self.name, interface), heat) for interface, heat in hot.items()])
        for (family, labels), total in self._sums.items():
            values.add(family, [(labels, total)])
        return values

    def _count(self, machine: MachineLoad) -> None:
        for cpu in machine.cpus:
            groups = (("cpu_seconds", cpu.seconds), ("softirqs", cpu.softirqs), ("softnet", cpu.softnet))
            for family, group in (*groups, ("interrupts", cpu.interrupts)):
                for key, grown in group.items():
                    self._add(f"dut_{family}_total", (self.name, str(cpu.cpu), key), grown)
        for interface, counters in machine.nics.items():
            for key, grown in counters.items():
                self._add("dut_nic_total", (self.name, interface, key), grown)

    def _add(self, family: str, labels: Labels, grown: float) -> None:
        if (family, labels) in self._sums or len(self._sums) < _MOST_KEYS:
            self._sums[family, labels] = self._sums.get((family, labels), 0) + grown


def modules_of(sample: str) -> dict[str, float]:
    """Degrees Celsius by interface: `eth0 \tModule temperature   : 41.50 degrees C / 106.70 degrees F`."""
    found = re.findall(
        r"(?m)^(\S+)\s+Module temperature\s*:\s*(-?[\d.]+) degrees C", parts_of(sample).get("modules", "")
    )
    return {interface: float(heat) for interface, heat in found}
