"""What a result says of the bench it was measured on. Pure."""

from __future__ import annotations

from typing import Any

from wirespeed.testbed.model import Bench


def lab_facts(bench: Bench, file: str) -> dict[str, Any]:
    """For the result's `lab`: the wires, the mode, what the tester's ports are."""
    wires = {
        str(wire.port): " ".join(filter(None, (wire.interface or "not named", wire.speed, wire.dut_address)))
        for wire in bench.filled().wires
    }
    ports = {"ports": list(bench.tester.ports)} if bench.tester.ports else {}
    return {"kind": "bench", "bench": {"file": file, "mode": bench.mode, "wires": wires, **ports}}


def device_facts(bench: Bench) -> dict[str, Any]:
    """For the result's `dut`: its kind and what the file describes."""
    told = {name: value for name, value in bench.description.model_dump().items() if value}
    return {"name": bench.description.box or bench.dut.kind, "kind": bench.dut.kind, "description": told}
