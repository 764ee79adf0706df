"""One file, one figure: the demo's table, the report's, its CSV and JSON, the page and the end of a live test."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from simulated_bench import LINE_BPS, Bench, ramp, run

from wirespeed.lab.demo import tables
from wirespeed.lab.suite import SEED_SUITE, finding
from wirespeed.loadtest.live import summary
from wirespeed.report.comparison import compare, read_all
from wirespeed.report.render import render
from wirespeed.report.table import rows
from wirespeed.results.balance import Medium
from wirespeed.results.channel import Channel
from wirespeed.results.loadtest import Result
from wirespeed.results.loadtest_file import write_result
from wirespeed.results.outcome import PortFacts
from wirespeed.results.sample import Sample
from wirespeed.results.verdict import judged

VARIABLES = {
    "profile_file": "bench",
    "tunables": {"size": "64"},
    "warmup_mult": "1kpps",
    "warmup_duration": 0,
    "rampup_target": 100,
    "rampup_duration": 15,
    "hold_duration": 2.5,
}
BENCHES = {
    "saturated, memif": Bench(medium=Medium.RING, dut=lambda pps: min(pps, 5.0123456e6), interval_s=0.25),
    "line rate that catches up": Bench(
        medium=Medium.RING, interval_s=0.25, dut=lambda pps: pps if pps < 14.8e6 else 1.01 * pps
    ),
    "tester-limited": Bench(medium=Medium.RING, worker_pps=6.54321e6, interval_s=0.25),
    "lossy, labels added": Bench(dut=lambda pps: 0.98765 * pps, received_frame_bytes=68, interval_s=0.25),
}


def both_ways(samples: list[Sample]) -> tuple[Sample, ...]:
    """The same in the other direction."""
    return tuple(
        replace(
            sample,
            ports={
                port: replace(
                    sample.ports[port],
                    **{
                        name: getattr(sample.ports[1 - port], name)
                        for name in ("tx_pps", "tx_bps", "tx_util", "rx_pps", "rx_bps", "rx_util")
                        if not getattr(sample.ports[port], name)
                    },
                    opackets=sample.ports[0].opackets,
                    ipackets=sample.ports[1].ipackets,
                    asked=sample.ports[0].asked,
                    asked_pps=sample.ports[0].asked_pps,
                    refused=sample.ports[0].refused,
                    late=sample.ports[0].late,
                    no_buffer=sample.ports[0].no_buffer,
                )
                for port in (0, 1)
            },
        )
        for sample in samples
    )


def result_of(bench: Bench, directions: int) -> Result:
    samples = run(bench, ramp(1.002 * 14_880_952, 30, 10))
    ports = {port: PortFacts(port, speed_bps=LINE_BPS, medium=str(bench.medium)) for port in (0, 1)}
    forward = Channel(0, 1)
    result = Result(
        name="t",
        variables=VARIABLES,
        samples=both_ways(samples) if directions == 2 else tuple(samples),
        ports=ports,
        directions=(forward, forward.reverse)[:directions],
        dut={"name": "router"},
    )
    return judged(result)


@pytest.fixture(params=BENCHES)
def bench(request: pytest.FixtureRequest) -> Bench:
    return BENCHES[request.param]


@pytest.mark.parametrize("directions", [1, 2])
def test_every_place_prints_the_same_digits(bench: Bench, directions: int, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    result = result_of(bench, directions)
    write_result(result, path)

    def text(**options: str) -> str:
        return render([path], title="T", date="", **options).text  # type: ignore[arg-type]

    found = rows(compare(read_all([path])))
    (*channels, whole) = found if directions == 2 else (*found, found[0])
    listed = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text(output_format="md").splitlines()[2:]]
    assert list(csv.DictReader(io.StringIO(text(output_format="csv"))))[-1]["max_pps"] == str(whole.max_pps)
    assert json.loads(text(output_format="json"))["rows"][-1]["max_line_percent"] == whole.max_line_percent
    maximum, bits, percent = listed[-1][4], listed[-1][6], listed[-1][7]
    assert maximum == f"{(whole.max_pps or 0) / 1e6:.3f}"

    # the demo's table
    demo = tables(SEED_SUITE, [finding(SEED_SUITE[3], "router", result, path)])
    [cells] = [[*row] for _, table in demo for row in zip(*(column.cells for column in table.columns), strict=True)]
    assert cells[2].rstrip(" *") == f"{maximum} Mpps"
    assert cells[2].endswith("*") == ("tester-limited" in listed[-1][-1])
    assert cells[3:5] == [bits, f"{percent.removesuffix(' of 200')} %"]

    # the end of a live test, a direction a line
    lines = [line for line in summary(result, None) if "max received" in line]
    for line, row in zip(lines, listed, strict=False):
        said = re.search(r"max received (\S+) Mpps \((\S+) % of line\)", line)
        assert said is not None
        assert list(said.groups()) == [row[4], row[7]]
        assert ("saturated at" in line) == (row[9] != "–")
        if "saturated at" in line:
            assert f"saturated at {row[9].split()[0]} Mpps ({row[10]} % of line)" in line
        assert ("the tester was the limit" in line) == ("tester-limited" in row[-1])

    # the page
    page = text(output_format="html")
    for row in listed:
        for cell in row[3:11]:
            assert f">{cell}</td>" in page

    # and the matrix
    matrix = text(output_format="md", layout="matrix", both="sum200")
    assert f"{maximum} ({percent} %)" in matrix
    assert len(lines) == len(channels)


@pytest.mark.parametrize("directions", [1, 2])
def test_no_rate_of_ours_stands_above_its_line(bench: Bench, directions: int, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    write_result(result_of(bench, directions), path)
    for row in rows(compare(read_all([path]))):
        assert (row.max_line_percent or 0) <= 100 * row.lines
        assert (row.held_pps or 0) <= (row.max_pps or 0)
    page = render([path], title="T", date="").text
    percents = [float(text) for text in re.findall(r'data-key="[^"]*">(\d+\.\d\d)(?: of \d+)?</td>', page)]
    assert all(percent <= 100 * directions for percent in percents)
