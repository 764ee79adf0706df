"""Results of every kind, from real packets through a wirespeed router, contain facts for explanations."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirespeed.cli.main import main
from wirespeed.explain.cpu_budget import cpu_budget
from wirespeed.explain.ranking import explain
from wirespeed.explain.sources.files import read_cases
from wirespeed.lab.embedded import EmbeddedLab

STEPS = "2kpps,4kpps,6kpps,8kpps,10kpps"


def common(lab: EmbeddedLab) -> list[str]:
    return ["-s", lab.rpc, "-u", "-q", "--dut", f"router:{lab.control_socket}"]


def test_a_load_test_tells_what_the_cpus_did_and_what_a_packet_costs(lab: EmbeddedLab, tmp_path: Path) -> None:
    file = tmp_path / "cost.json"
    load = ["-p", "bench", "-t", "size=64", "--steps", STEPS, "-wd", "0.2", "-hd", "0.5", "--interval", "0.25"]
    assert main(["loadtest", *common(lab), *load, "-o", str(file)]) in (0, 5)
    (case,) = read_cases([file])
    found, budget = explain(case), cpu_budget(case.steps)
    assert budget is not None and len(budget.bars) >= 4
    assert {"input", "lookup", "rewrite", "tx", "idle"} <= set(budget.names)
    assert all(sum(part.share for part in bar.parts) == pytest.approx(1.0) for bar in budget.bars)
    named = {figure.name for figure in found.figures}
    assert {"cycles_per_packet_without_polling", "work_cycles_per_packet", "core_pps", "cores_for_line"} <= named
    assert found.costs is not None


@pytest.mark.long("a soak and a test of RFC 2544")
def test_soaks_and_tests_of_rfc_2544_are_explained_too(lab: EmbeddedLab, tmp_path: Path) -> None:
    soak, suite = tmp_path / "soak.json", tmp_path / "suite.json"
    assert main(["soak", *common(lab), "--load", "4kpps", "--duration", "3", "-o", str(soak)]) in (0, 5)
    quick = ["--sizes", "64", "--trial", "0.2", "--resolution", "0.5", "--waits", "0,0.1,0"]
    assert main(["rfc2544", "throughput", *common(lab), *quick, "-o", str(suite)]) in (0, 5)
    one, other = read_cases([soak, suite])
    assert (one.load.name, other.load.name) == ("soak", "suite, 64")
    assert one.tells_drops and one.load.offered_pps == pytest.approx(4000, rel=0.5)
    assert other.workers and other.steps and explain(other).figures
