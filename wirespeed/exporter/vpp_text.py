"""A VPP elsewhere, by the text that its command line shows there: interfaces, and reasons for drops.

What its nodes cost is not told so: `show runtime` has clocks of three digits, which make no counter. Its own exporter
has them, as has its statistics segment where the exporter runs on the same machine.
"""

from __future__ import annotations

from wirespeed.dut.device import DutDevice
from wirespeed.dut.errors import parse_errors
from wirespeed.dut.kinds.vpp import VppKind
from wirespeed.dut.kinds.vpp_language import interface_counters
from wirespeed.dut.reach.questions import answers, asking
from wirespeed.errors import ConnectionFault
from wirespeed.exporter.told import TargetValues

_COUNTERS = {
    "rx packets": "rx_packets",
    "rx bytes": "rx_bytes",
    "tx packets": "tx_packets",
    "tx bytes": "tx_bytes",
    "drops": "drops",
    "rx-miss": "rx_miss",
    "rx-no-buf": "rx_no_buf",
    "tx-error": "tx_error",
}


class VppTextTarget:
    """Asked by one command at a time; nothing on the device is cleared."""

    kind = "router"

    def __init__(self, name: str, device: DutDevice, kind: VppKind, timeout_s: float) -> None:
        self.name = name
        self._device, self._timeout_s = device, timeout_s
        self._boot, self._interfaces = kind.boot_question, kind.ask("show interface")
        self._errors, self._version = kind.ask("show errors"), kind.ask("show version")

    def read(self) -> TargetValues:
        questions = (self._boot, self._interfaces, self._errors, self._version)
        facts = answers(questions, self._device.reach.run(asking(questions), timeout_s=self._timeout_s).out)
        shown = facts[self._interfaces]
        if shown.code or not shown.out.strip():
            raise ConnectionFault(f"VPP does not answer `show interface` at {self._device.name}: {shown.why}")
        values = TargetValues(began=facts[self._boot].out.strip())
        values.add("router_info", [((self.name, facts[self._version].out.strip()), 1)])
        for key, count in interface_counters(shown.out).items():
            interface, _, counter = key.partition(" ")
            if counter in _COUNTERS:
                values.add(f"router_interface_{_COUNTERS[counter]}_total", [((self.name, interface), count)])
        rows: dict[tuple[str, str], int] = {}
        for row in parse_errors(facts[self._errors].out):
            rows[row.node, row.reason] = rows.get((row.node, row.reason), 0) + row.count
        values.add("router_errors_total", [((self.name, *key), count) for key, count in rows.items()])
        return values
