"""Facts about the testbed, for the head of a result. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.dut.dut import Dut
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import CeilingFacts, LabFacts, LabTestbed
from wirespeed.testbed.model import Bench


def lab_facts(bench: Bench, file: str, ceiling: CeilingFacts | None) -> LabFacts:
    """For the result's `lab`: the wires, the mode, what the tester's ports are, and what the tester reaches."""
    wires = {
        str(wire.port): " ".join(filter(None, (wire.interface or "not named", wire.speed, wire.dut_address)))
        for wire in bench.filled().wires
    }
    return LabFacts(kind="testbed", testbed=LabTestbed(file, bench.mode, wires, bench.tester.ports, ceiling))


def device_facts(bench: Bench, dut: Dut | None) -> DutFacts:
    """For the result's `dut`: what the file describes, and what `dut` says of itself."""
    told = {name: value for name, value in bench.description.model_dump().items() if value}
    facts = DutFacts(bench.description.box or bench.dut.kind, bench.dut.kind) if dut is None else dut.describe()
    return replace(facts, description=told)
