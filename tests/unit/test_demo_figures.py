"""The demo's table on result files of simulated benches: its figures are the same on all surfaces."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from demo_surfaces import check_demo
from rich.console import Console
from simulated_bench import LINE_BPS, Bench, ramp, run
from test_figures_agree import SETTINGS, both_ways

from wirespeed.demo.demo import tables
from wirespeed.demo.suite import BURDENED, STANDARD_SUITE, DemoResult, SuiteTest, finding
from wirespeed.measurement.file import write_file
from wirespeed.measurement.loadtest.analysis import judged
from wirespeed.measurement.loadtest.result import Result
from wirespeed.report.comparison import compare, distinct_names, read_all
from wirespeed.results.balance import Medium
from wirespeed.results.dut import DutFacts
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Preemption, Sample
from wirespeed.units import line_rate_pps

BENCHES = (
    Bench(medium=Medium.RING, interval_s=0.25, frame_bytes=1514),
    Bench(medium=Medium.RING, interval_s=0.25, line_bps=1.02 * LINE_BPS, frame_bytes=360),
    Bench(medium=Medium.RING, interval_s=0.25, worker_pps=6.54321e6),
    Bench(medium=Medium.RING, interval_s=0.25, dut=lambda pps: min(pps, 5.0123456e6)),
    Bench(medium=Medium.RING, interval_s=0.25, dut=lambda pps: 0.98765 * pps),
)
ACL = Bench(medium=Medium.RING, interval_s=0.25, dut=lambda pps: min(pps, 1.2345678e6))


def away(sample: Sample) -> Sample:
    return replace(sample, preemption=Preemption(tester_preempted_s=0.0, dut_preempted_s=0.5 * sample.interval_s))


def result_of(test: SuiteTest, bench: Bench, dut: str) -> Result:
    samples = run(bench, ramp(1.02 * line_rate_pps(bench.frame_bytes, LINE_BPS), 20, 6))
    if test.label == "64b MPLS":
        samples = [away(sample) for sample in samples]
    tunables = ",".join(f"{key}={value}" for key, value in test.tunables.items())
    result = Result(
        name=test.file_stem,
        variables=replace(SETTINGS, profile_file=test.profile, tunables=tunables),
        samples=tuple(samples) if test.unidirectional else both_ways(samples),
        ports={port: PortFacts(port, speed_bps=LINE_BPS, medium=bench.medium) for port in (0, 1)},
        directions=test.directions,
        dut=DutFacts(dut),
    )
    return judged(result)


@pytest.fixture
def findings(tmp_path: Path) -> list[DemoResult]:
    """The standard suite through one router, each load with another limit, and a test with ACL and routes."""
    found = []
    for number, test in enumerate((*STANDARD_SUITE, BURDENED[0])):
        bench = ACL if test.burden else BENCHES[number % len(BENCHES)]
        dut = "wirespeed over memif" + (f", {test.burden.name}" if test.burden else "")
        path = tmp_path / f"wirespeed-memif-{test.file_stem}.json"
        result = result_of(test, bench, dut)
        write_file(result, path)
        found.append(finding(test, dut, result, path))
    return found


def test_every_figure_of_the_table_stands_on_all_surfaces(
    findings: list[DemoResult], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [one.file for one in findings]
    verdicts = compare(read_all(files)).verdicts
    by_file = {file: verdicts[name] for file, name in zip(files, distinct_names(files), strict=True)}
    assert {one.limited_by for one in by_file.values()} == {"dut", "host", "line", "tester"}
    screen = Console(width=200, record=True, color_system=None)
    for _, table in tables((*STANDARD_SUITE, *BURDENED), findings, by_file, widths={}):
        screen.print(table)
    check_demo(screen.export_text(), files, tmp_path, capsys)
