"""The main use case: `wirespeed demo --quick` in a separate process."""

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from demo_surfaces import check_demo
from harness.programs import run_wirespeed, wirespeed
from rich.console import Console

from wirespeed.demo.demo import QUICK, Demo
from wirespeed.demo.suite import STANDARD_SUITE
from wirespeed.explain.verdicts import verdict_of
from wirespeed.lab.linux import unavailable
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.report.render import render

VETH = ("wirespeed-veth-", "linux-veth-")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One quick demo; its output directory and what it printed."""
    return demo_in(tmp_path_factory.mktemp("demo"), "--quick")


def demo_in(directory: Path, *options: str, patience_s: float = 300) -> tuple[Path, str]:
    done = run_wirespeed("demo", *options, "--out", directory, env={**os.environ, "COLUMNS": "200"}, timeout=patience_s)
    assert done.returncode == 0, done.stdout + done.stderr
    return directory, done.stdout


@pytest.fixture(scope="module")
def results(demo):
    directory, _ = demo
    return {path.stem: read_as(Result, path) for path in sorted(directory.glob("wirespeed-memif-*.json"))}


@pytest.mark.alone
def test_every_test_leaves_a_complete_result(results):
    assert set(results) == {f"wirespeed-memif-{test.file_stem}" for test in (*STANDARD_SUITE, *QUICK.burdened)}
    assert all(result.ending.status == "complete" for result in results.values())


@pytest.mark.alone
def test_the_table_names_every_test_and_the_report(demo):
    directory, printed = demo
    assert all(printed.count(f"\n {test.label} ") == 2 for test in STANDARD_SUITE)  # one block per direction
    assert " forwarded " in printed and " limit " in printed
    assert f"report: {directory}/report.html" in printed
    assert 80_000 < (directory / "report.html").stat().st_size < 400_000  # dygraphs is included, compressed


@pytest.mark.alone
def test_every_packet_is_accounted_for(results):
    """intended = sent + refused + without buffer + late, and sent = received + the router's counted drops."""
    for name, result in results.items():
        balances = [channel.balance for channel in result.outcome.channels.values()]
        for balance in balances:
            assert balance.intended == balance.sent + balance.refused + balance.no_buffer + balance.late, name
        sent, received = (sum(getattr(balance, way) for balance in balances) for way in ("sent", "received"))
        assert sent > 0, name
        assert sent == received + result.dut.dropped_packets, name


@pytest.mark.alone
def test_samples_carry_the_cost_in_the_router(results):
    for name, result in results.items():
        preempted = [sample for sample in result.samples if sample.preemption and sample.preemption.dut_preempted_s]
        costs = [sample.dut["cycles_per_packet"] for sample in result.samples if "cycles_per_packet" in sample.dut]
        assert costs and len(costs) > (len(result.samples) - len(preempted)) / 2, name
        assert all(cost > 0 for cost in costs), name


@pytest.mark.alone
def test_large_packets_pass_at_line_rate(results):
    """10 Gb/s of 1514-byte frames is 815 kpps, which any machine that runs this test forwards, unless it preempts the
    tester; the verdict then says so.
    """
    verdict = verdict_of(results["wirespeed-memif-unidir-1514b"])
    assert verdict.limited_by in ("tester", "host") or (verdict.figure.line_percent or 0) > 90


@pytest.mark.alone
def test_both_routers_run_over_the_same_link_or_the_demo_says_why_not(demo):
    directory, printed = demo
    both = [sorted(path.stem.removeprefix(name) for path in directory.glob(f"{name}*.json")) for name in VETH]
    assert "The routers over veth are left out" in printed if not any(both) else both[0] == both[1] != []


@pytest.mark.alone
def test_nat_has_a_row_beside_the_kernel_without_it(demo):
    directory, printed = demo
    rows = {name: directory / f"linux-{name}veth-unidir-64b-one-flow.json" for name in ("", "nat-")}
    if not rows["nat-"].exists():
        assert "The routers over veth are left out: " in printed or "Linux NAT over veth is left out: " in printed
        return
    found = {name: read_as(Result, path) for name, path in rows.items()}
    assert {name: (one.dut.name, one.lab.filter) for name, one in found.items()} == {
        "": ("Linux over veth", ""),
        "nat-": ("Linux NAT over veth", "nat"),
    }
    (balance,) = [channel.balance for channel in found["nat-"].outcome.channels.values()]
    assert balance.test_frames > 0


@pytest.mark.skipif(unavailable() is not None, reason=f"no Linux lab: {unavailable()}")
def test_nat_is_left_out_with_the_reason_where_nftables_is_missing(no_linux_lab, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    screen = Console(width=200, record=True, color_system=None)
    demo = Demo(screen, tmp_path, replace(QUICK, veth_tests=()))
    demo.run_veth()
    demo.raise_first_failure()
    told = screen.export_text()
    assert (
        "Linux NAT over veth is left out: the DUT has no `nft`, which filter nat needs: install Debian's package"
        in told
    )
    assert told.count("left out") == 1


@pytest.mark.alone
def test_the_tables_figures_are_those_of_the_report(demo):
    directory, printed = demo
    files = sorted(directory.glob("*.json"))
    document = json.loads(render(files, title="T", date="", output_format="json").text)
    table = " ".join(printed.split())
    for verdict in document["verdicts"].values():
        text = verdict["figures"][0]["text"]
        assert all(word in table for word in text.split())
        assert (verdict["figures"][0]["line_percent"] or 0) <= 100
    (worth,) = [line for line in printed.splitlines() if line.startswith("worth: ")]
    assert worth


@pytest.mark.alone
@pytest.mark.long("renders 16 results on each surface; tests/unit/test_demo_figures.py does so on simulated ones")
def test_every_figure_of_the_table_stands_on_all_surfaces(demo, tmp_path, capsys):
    directory, printed = demo
    check_demo(printed, list(directory.glob("*.json")), tmp_path, capsys)


@pytest.mark.alone
@pytest.mark.long("the whole demo as the README has it, five minutes; make test runs the quick one")
def test_every_figure_of_the_whole_demo_stands_on_all_surfaces(tmp_path, capsys):
    directory, printed = demo_in(tmp_path / "demo", patience_s=1800)
    check_demo(printed, list(directory.glob("*.json")), tmp_path, capsys)


def test_an_output_directory_that_cannot_be_written(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = run_wirespeed("demo", "--quick", "--out", blocked / "below")
    assert done.returncode == 6
    assert done.stderr.count("\n") == 1
    assert "cannot be written" in done.stderr


def test_a_full_output_leaves_nothing_of_the_lab(tmp_path):
    (tmp_path / "own").mkdir()
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            wirespeed("demo", "--quick", "--out", tmp_path / "out"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "TMPDIR": str(tmp_path / "own")},
            check=False,
        )
    assert done.returncode == 6, done.stderr
    assert list((tmp_path / "own").iterdir()) == []
