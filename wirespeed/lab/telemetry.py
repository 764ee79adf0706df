"""What a router of ours tells during a test: the cost of a packet since the last look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wirespeed.dut.runtime import forwarding_cost, parse_runtime
from wirespeed.router.client import ask


class RuntimeProbe:
    """Called once a sample: reads `show runtime` and starts the next interval with `clear runtime`."""

    def __init__(self, control_socket: Path) -> None:
        self._socket = control_socket

    def __call__(self) -> dict[str, Any]:
        cost = forwarding_cost(parse_runtime(ask(self._socket, "show runtime")))
        ask(self._socket, "clear runtime")
        if cost is None:
            return {}
        return {
            "cycles_per_packet": cost.cycles_per_packet,
            "cycles_per_packet_without_input": cost.cycles_without_input,
            "vectors_per_call": cost.vectors_per_call,
            "in_pps": cost.in_pps,
            "out_pps": cost.out_pps,
            "drop_pps": cost.drop_pps,
        }
