"""A suite in a lab with a simulated generator: failing tests, and the demo's output about them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_charts import unpacked
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.demo.demo import DemoSchedule
from wirespeed.demo.suite import STANDARD_SUITE, DemoFailure, DemoResult, SuiteTest, Timing, run_suite, suite_for
from wirespeed.dut.dut import Dut
from wirespeed.dut.none import NoDut
from wirespeed.errors import EnvironmentFault, MeasurementError, UsageError
from wirespeed.lab.chosen import LabSpec, parse_lab
from wirespeed.machine.placement import LabCpus
from wirespeed.measurement.file import read_as, read_file
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.search.result import SearchResult
from wirespeed.results.lab import CpuPlace, LabFacts, Topology

TIMING = Timing(warmup_s=0.05, ramp_s=0.1, hold_s=0.05, interval_s=0.025)
GOOD = SuiteTest("64b one flow", "bench", {"size": "64"}, True)
SILENT = SuiteTest("64b silent", "bench", {"size": "64"}, True)
UNREADABLE = SuiteTest("no profile", "/nowhere/profile.py", {}, True)
LAST = SuiteTest("1514b", "bench", {"size": "1514"}, False)
PLACES = tuple(CpuPlace(cpu, cpu, 0, 0, (cpu,)) for cpu in (0, 1))
CPUS = LabCpus(0, 1, tuple(sorted(os.sched_getaffinity(0))), Topology("Made Up", PLACES))


def ignore(_: object) -> None:
    """A recorder without effect."""


class SimulatedLab:
    """A lab whose DUT returns nothing while a test named `silent` runs."""

    name = "simulated"

    def __init__(self, trex: SimulatedTrex) -> None:
        self._trex = trex
        self.rpc = trex.server
        self.dut: Dut = NoDut()
        self.facts = LabFacts(
            kind="simulated", port_type="none", speed_bps=10_000_000_000, cpus=CPUS.roles, topology=CPUS.topology
        )
        self.running = False

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def on_start(self, test: SuiteTest) -> None:
        self._trex.device.silent = (0, 1) if test is SILENT else ()


@pytest.fixture
def lab() -> Iterator[SimulatedLab]:
    with SimulatedTrex() as trex:
        yield SimulatedLab(trex)


def test_a_suite_goes_on_after_tests_that_fail(lab: SimulatedLab, tmp_path: Path) -> None:
    tests = (GOOD, SILENT, UNREADABLE, LAST)
    told: list[DemoFailure] = []
    found = run_suite(lab, tests, TIMING, tmp_path, lab.on_start, ignore, told.append)
    assert told == [one for one in found if isinstance(one, DemoFailure)]
    assert [one.test for one in found] == list(tests)
    assert [type(one) for one in found] == [DemoResult, DemoFailure, DemoFailure, DemoResult]
    silent, unreadable = found[1], found[2]
    assert isinstance(silent, DemoFailure) and isinstance(unreadable, DemoFailure)
    assert isinstance(silent.error, MeasurementError) and "the DUT returned nothing" in str(silent.error)
    # The measured data are kept, with the reason of the end.
    assert silent.file == tmp_path / "simulated-unidir-64b-silent.json"
    assert read_as(Result, silent.file).ending.status == "failed"
    assert unreadable.file is None
    assert {path.name for path in tmp_path.iterdir()} == {one.file.name for one in found if one.file is not None}
    result = read_as(Result, tmp_path / "simulated-bidir-1514b.json")
    assert result.lab.cpus == CPUS.roles
    assert result.dut.kind == "none"


def test_a_file_that_cannot_be_written_is_a_failure_of_its_test(lab: SimulatedLab, tmp_path: Path) -> None:
    (tmp_path / "simulated-unidir-64b-one-flow.json").mkdir()
    first, last = run_suite(lab, (GOOD, LAST), TIMING, tmp_path, lab.on_start, ignore, ignore)
    assert isinstance(first, DemoFailure) and first.file is None
    assert isinstance(last, DemoResult)


def test_a_search_follows_each_test_that_is_to_have_one(tmp_path: Path) -> None:
    with SimulatedTrex(capacity_pps=4e6) as trex:
        lab = SimulatedLab(trex)
        (found,) = run_suite(lab, (GOOD,), TIMING, tmp_path, lab.on_start, ignore, ignore, search=True)
    assert isinstance(found, DemoResult) and found.search is not None
    kept = read_file(tmp_path / "simulated-unidir-64b-one-flow-search.json")
    assert isinstance(kept, SearchResult)
    assert (kept.goals, kept.trials) == (found.search.goals, found.search.trials)
    assert [goal.goal.name for goal in found.search.goals] == ["ndr", "pdr"]
    assert found.search.goals[1].lower_pps == pytest.approx(4e6, rel=0.1)


def test_an_interrupt_ends_it(lab: SimulatedLab, tmp_path: Path) -> None:
    def interrupt(sampled: object) -> None:
        raise KeyboardInterrupt

    started: list[SuiteTest] = []
    with pytest.raises(KeyboardInterrupt):
        run_suite(lab, (GOOD, LAST), TIMING, tmp_path, started.append, interrupt, ignore)
    assert started == [GOOD]
    assert read_as(Result, tmp_path / "simulated-unidir-64b-one-flow.json").ending.status == "interrupted"


def test_what_has_measured_nothing_leaves_no_file(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_suite(lab, (GOOD,), TIMING, tmp_path, lab.on_start, ignore, ignore)
    (file,) = tmp_path.iterdir()
    whole = read_as(Result, file)
    file.unlink()
    early = replace(whole, samples=(), ending=replace(whole.ending, status="interrupted"))
    monkeypatch.setattr("wirespeed.demo.suite._run_test", lambda *_: early)
    with pytest.raises(KeyboardInterrupt):
        run_suite(lab, (GOOD, LAST), TIMING, tmp_path, lab.on_start, ignore, ignore)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def demo(
    lab: SimulatedLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Run the demo's command with these tests in the simulated lab: exit code, output, errors."""
    handler = signal.getsignal(signal.SIGTERM)

    def run(*tests: SuiteTest, flags: tuple[str, ...] = (), **patches: Any) -> tuple[int, str, str]:
        for where in ("demo", "suite"):
            monkeypatch.setattr(f"wirespeed.demo.{where}.STANDARD_SUITE", tests)
        monkeypatch.setattr("wirespeed.demo.demo.QUICK", DemoSchedule(TIMING, TIMING, tests, ()))
        monkeypatch.setattr("wirespeed.demo.demo.choose_cpus", lambda: CPUS)
        monkeypatch.setattr("wirespeed.demo.demo.EmbeddedLab", lambda cpus, mtu: lab)
        monkeypatch.setattr("wirespeed.demo.demo.unavailable", lambda: "this is a test")
        real = run_suite

        def silence(
            lab: SimulatedLab, tests: object, timing: object, directory: object, on_start: Any, *rest: Any
        ) -> Any:
            def start(test: SuiteTest) -> None:
                lab.on_start(test)
                on_start(test)

            return real(lab, tests, timing, directory, start, *rest)  # type: ignore[arg-type]

        monkeypatch.setattr("wirespeed.demo.demo.run_suite", silence)
        for name, value in patches.items():
            monkeypatch.setattr(lab, name, value)
        code = main(["demo", "--quick", *flags, "--out", str(tmp_path)])
        said = capsys.readouterr()
        return code, said.out, said.err

    yield run
    signal.signal(signal.SIGTERM, handler)


def test_the_demo_has_ndr_and_pdr_where_they_are_asked_for(
    demo: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, _ = demo(GOOD, SILENT, flags=("--search",))
    assert code == 5
    assert "NDR" in out and "PDR" in out
    row = next(line for line in out.splitlines() if "64b one flow" in line and "Mpps" in line)
    assert row.count("14.9 Mpps") >= 2
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert 'id="search-0"' in report
    figures = unpacked(report)["figures"]
    bands = [band["name"] for band in figures["load-0"]["bands"]]
    assert bands[0].startswith("NDR of simulated-unidir-64b-one-flow-search")  # on the ramp of the same test


def test_the_demo_shows_a_failure_in_its_row_and_ends_with_its_code(
    demo: Callable[..., tuple[int, str, str]], lab: SimulatedLab, tmp_path: Path
) -> None:
    code, out, err = demo(SILENT, GOOD, UNREADABLE)
    rows = {line.split("simulated")[0].strip(): line for line in out.splitlines() if "simulated " in line}
    assert rows["64b silent"].split() == ["64b", "silent", "simulated", "failed"]
    assert "Mpps" in rows["64b one flow"]
    assert "unidirectional 64b silent through simulated: the DUT returned nothing" in out.replace("\n", " ")
    assert f"report: {tmp_path}/report.html" in out
    assert code == MeasurementError.exit_code
    assert err.count("\n") == 1 and "(and 1 more)" in err
    assert not lab.running


def test_a_demo_without_a_failure_ends_with_none(demo: Callable[..., tuple[int, str, str]]) -> None:
    assert demo(GOOD)[::2] == (0, "")


def test_a_demo_of_nothing_but_failures_has_no_report(
    demo: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    code, out, err = demo(UNREADABLE)
    assert "report:" not in out
    assert "/nowhere/profile.py" in err
    assert code != 0
    assert list(tmp_path.iterdir()) == []


def test_a_lab_that_does_not_start_is_left_out(demo: Callable[..., tuple[int, str, str]]) -> None:
    def start() -> None:
        raise EnvironmentFault("the router did not start: no memory")

    code, out, err = demo(GOOD, start=start)
    assert "simulated is left out: the router did not start: no memory" in out
    assert (code, err) == (EnvironmentFault.exit_code, "wirespeed: the router did not start: no memory\n")
    assert "load test" not in out


def test_a_jumbo_lab_is_tested_with_the_longest_frames_too() -> None:
    suite = suite_for(9000)
    assert [test.name for test in suite[:2]] == ["unidirectional 9018b", "bidirectional 9018b"]
    assert all(test.tunables == {"size": "9018", "vm": "var2"} for test in suite[:2])
    assert suite[2:] == STANDARD_SUITE == suite_for(1500)
    assert suite_for(9216)[0].tunables["size"] == "9216"  # what the profile has at most


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("moon", "--lab moon: there is no such lab; give embedded, linux"),
        ("embedded,size=9000", "--lab embedded,size=9000: unknown option 'size'; a lab takes mtu=, as in embedded,mtu"),
        ("linux,mtu=", "--lab linux,mtu=: mtu is a number from 1500 to 9216, not ''"),
        ("linux,mtu=1400", "--lab linux,mtu=1400: mtu is a number from 1500 to 9216, not '1400'"),
    ],
)
def test_a_lab_that_there_is_not_is_one_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_lab(text)
    assert str(refused.value).startswith(said)


def test_a_lab_is_told_its_mtu() -> None:
    assert parse_lab("embedded") == LabSpec("embedded", 1500)
    assert parse_lab("linux,mtu=9000") == LabSpec("linux", 9000)
