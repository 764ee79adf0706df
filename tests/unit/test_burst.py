"""Burst tests against a simulated T-Rex whose device has a queue of known length: figures, output and files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from report_kinds import comparison_of
from simulated_trex import SimulatedTrex
from test_report_page import Reader, page

from wirespeed.campaign.tests import TESTS
from wirespeed.cli.main import main
from wirespeed.client.generator_client import GeneratorClient
from wirespeed.errors import UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.burst.plan import BurstPlan, check_plan
from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.burst.run import BurstProgress, run_burst
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.registry import frames_of, summary_of
from wirespeed.measurement.rerun import command_of
from wirespeed.report.listing import to_csv, to_json, to_markdown
from wirespeed.results.dut import DutFacts
from wirespeed.results.figures import MEGA
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.recorder import JournalRecorder
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate, line_rate_pps

LINE_PPS = line_rate_pps(64, 10e9)
CAPACITY_PPS, BUFFER = 4e6, 200_000.0
HELD = BUFFER / (1 - CAPACITY_PPS / LINE_PPS)
"""The longest burst at line rate without loss, from the queue and capacity of the simulated device."""
QUICK = BurstPlan("bench", {"size": "64"}, longest_s=0.1, tries=1, rest_s=0.0, resolution=0.05, dut=DutFacts("a loop"))
FLAGS = ("-p", "bench", "-t", "size=64", "--longest", "0.1", "--tries", "1", "--rest", "0", "--resolution", "5%")


@contextmanager
def loop(**simulation: Any) -> Iterator[SimulatedTrex]:
    with SimulatedTrex(**simulation) as trex:
        yield trex
        assert trex.idle, "a burst test left traffic, streams or ports behind"


def run(trex: SimulatedTrex, plan: BurstPlan = QUICK, **more: Any) -> BurstResult:
    with GeneratorClient(trex.server, timeout_s=2.0) as client:
        client.connect()
        return run_burst(plan, Execution(client, **more))


@pytest.fixture(scope="module")
def found() -> BurstResult:
    """The result for a device with a queue."""
    with loop(capacity_pps=CAPACITY_PPS, buffer_frames=BUFFER) as trex:
        return run(trex, replace(QUICK, name="switch"))


def test_bursts_grow_until_one_loses_and_the_length_between_is_searched(found: BurstResult) -> None:
    lengths = [one.frames for one in found.trials]
    assert lengths[:13] == [64 << step for step in range(13)] and max(lengths) == 64 << 13
    assert found.longest == pytest.approx(HELD, rel=0.06)
    assert found.lossy is not None and found.longest is not None
    assert 0 < found.lossy - found.longest <= 0.06 * found.lossy
    assert (found.load_pps, found.most) == (pytest.approx(LINE_PPS), round(0.1 * LINE_PPS))
    assert found.ending.status == "complete"
    verdict = verdict_of(found)
    assert verdict.limited_by == "dut"
    assert verdict.line.startswith(f"longest burst {found.longest:,.0f} frames (")


def test_a_device_without_loss_holds_the_longest_burst_at_least() -> None:
    with loop() as trex:
        result = run(trex)
    assert (result.lossy, result.trials[-1].frames) == (None, result.most)
    verdict = verdict_of(result)
    assert (verdict.limited_by, verdict.figure.mark) == ("nothing", "at least")
    assert "≥" in verdict.line and "--longest" in verdict.next_step


def test_a_burst_of_which_more_than_a_twentieth_is_unsent_counts_as_not_sent() -> None:
    with loop(tester_pps=0.94 * LINE_PPS) as trex:
        result = run(trex, replace(QUICK, tries=3, first=10_000))
    assert [one.frames for one in result.trials] == [10_000] * 3, "no other length tells anything"
    assert (result.longest, result.lossy, result.unsent) == (None, None, 10_000)
    verdict = verdict_of(result)
    assert verdict.limited_by == "tester"
    assert verdict.line.startswith("longest burst not measured: the tester sent no burst back to back")
    assert "left more than 5% of a burst of 10,000 frames unsent, so that burst counts as not sent" in verdict.sentence
    with loop(tester_pps=0.96 * LINE_PPS) as trex:
        assert verdict_of(run(trex, replace(QUICK, first=10_000))).limited_by == "nothing"


def test_a_length_with_gaps_makes_the_figure_a_lower_bound(found: BurstResult) -> None:
    whole = tuple(one for one in found.trials if one.burst.whole)
    longest = max(one.frames for one in found.trials)
    (loses, *_) = (one for one in found.trials if one.frames == longest)
    channels = {
        name: replace(one, balance=replace(one.balance, intended=one.balance.sent * 1.2, late=one.balance.sent * 0.2))
        for name, one in loses.trial.channels.items()
    }
    gaps = replace(loses, trial=replace(loses.trial, channels=channels))
    result = replace(found, trials=(*whole, loses, gaps))
    assert (result.lossy, result.unsent) == (None, longest), "one try with gaps, and none was whole"
    verdict = verdict_of(result)
    assert verdict.limited_by == "tester" and "≥" in verdict.line
    assert verdict_of(replace(result, trials=(*whole, loses))).limited_by == "dut"


def test_one_direction_at_half_the_line_and_a_device_that_returns_nothing() -> None:
    plan = replace(QUICK, directions=pair_directions(only="0-1"), load=Rate(50.0, "percentage"), first=1000)
    with loop(silent=(1,)) as trex:
        result = run(trex, replace(plan, tries=2))
    assert result.longest is None and result.lossy == 1
    assert result.load_pps == pytest.approx(LINE_PPS / 2)
    assert [one.frames for one in result.trials[:2]] == [1000, 1000]
    assert "no burst was forwarded whole" in verdict_of(result).line


def test_a_test_that_is_stopped_keeps_its_bursts() -> None:
    stop = Event()

    def watch(progress: BurstProgress) -> None:
        if progress.count == 3:
            stop.set()

    with loop() as trex:
        result = run(trex, stop=stop, watch=watch)
    assert (result.ending.status, len(result.trials)) == ("interrupted", 3)


def test_the_result_is_read_as_it_was_written_and_made_of_its_journal(found: BurstResult, tmp_path: Path) -> None:
    write_file(found, tmp_path / "switch.json")
    assert read_file(tmp_path / "switch.json") == found
    assert json.loads((tmp_path / "switch.json").read_text())["lossy"] == found.lossy
    file = tmp_path / "broken.json"
    journal = Journal(journal_path(file))
    recorder = JournalRecorder(journal)
    recorder.begin(replace(found, trials=()))
    for one in found.trials:
        recorder.add(one)
    journal.close()
    recovered = read_file(file)
    assert isinstance(recovered, BurstResult)
    assert (recovered.trials, recovered.longest, recovered.ending.status) == (
        found.trials,
        found.longest,
        "interrupted",
    )


def test_the_command_measures_and_reports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "switch.json"
    with loop(capacity_pps=CAPACITY_PPS, buffer_frames=BUFFER) as trex:
        assert main(["burst", "-s", trex.server, *FLAGS, "-o", str(file)]) == 0
    told = capsys.readouterr().err
    assert "burst 1: 64 frames at 14.88" in told and "limited by DUT: the DUT loses frames" in told
    result = read_file(file)
    assert isinstance(result, BurstResult)
    words = command_of(result).split()
    assert words[:2] == ["wirespeed", "burst"] and words[words.index("--longest") + 1] == "0.1"
    assert main(["report", str(file), "-o", str(tmp_path / "page.html")]) == 0
    assert main(["explain", str(file)]) == 0


def test_reports_have_a_table_a_chart_and_the_verdict(found: BurstResult) -> None:
    text = page([found])
    shown = Reader(text).text
    assert "Bursts" in shown and verdict_of(found).line in shown
    (row,) = json.loads(to_json(comparison_of(found), "T"))["burst_rows"]
    assert (row["lossy"], row["longest"], row["bursts"]) == (
        found.lossy,
        pytest.approx(found.longest),
        len(found.trials),
    )
    (line,) = csv.DictReader(io.StringIO(to_csv(comparison_of(found))))
    assert (line["kind"], line["limited_by"]) == ("burst", "dut")
    assert to_markdown(comparison_of(found), MEGA).startswith("## Burst tests\n")


def test_whoever_follows_it_has_a_frame_a_burst(found: BurstResult) -> None:
    assert [frame["what"] for frame in frames_of(found)][:2] == ["64 frames", "128 frames"]
    sums = summary_of(found).packets["0→1"]
    assert sums["offered"] == pytest.approx(sum(one.burst.sent for one in found.trials))


def test_campaigns_have_its_options() -> None:
    test = TESTS["burst"].model_validate({"name": "b", "command": "burst", "load": "50%", "longest_s": 0.5, "tries": 2})
    assert test.flags("both") == ("--load", "50%", "--longest", "0.5", "--tries", "2")
    assert test.most_s > 0.5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"longest_s": 0.0}, "--longest 0 is not a duration"),
        ({"rest_s": -1.0}, "--rest -1 is not a duration"),
        ({"first": 0}, "give at least 1 of each"),
        ({"resolution": 1.0}, "give a share between 0 and 1"),
        ({"load": Rate(101.0, "percentage")}, "at most 100% of line rate"),
    ],
)
def test_plans_that_cannot_be_run(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_plan(replace(QUICK, **changes))
