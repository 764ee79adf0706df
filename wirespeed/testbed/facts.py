"""Facts about the testbed, for the head of a result. Pure."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.dut.dut import Dut
from wirespeed.results.dut import DutFacts
from wirespeed.results.lab import CeilingFacts, LabFacts, LabTestbed
from wirespeed.testbed.model import Bench


def lab_facts(bench: Bench, file: str, ceiling: CeilingFacts | None) -> LabFacts:
    """For the result's `lab`: links, mode, the tester's ports, and its highest rates."""
    links = {
        str(link.port): " ".join(filter(None, (link.interface or "not named", link.speed, link.dut_address)))
        for link in bench.filled().links
    }
    return LabFacts(kind="testbed", testbed=LabTestbed(file, bench.mode, links, bench.tester.ports, ceiling))


def device_facts(bench: Bench, dut: Dut | None) -> DutFacts:
    """For the result's `dut`: the description in the file, and what `dut` reports."""
    told = {name: value for name, value in bench.description.model_dump().items() if value}
    facts = DutFacts(bench.description.dut or bench.dut.kind, bench.dut.kind) if dut is None else dut.describe()
    return replace(facts, description=told)
