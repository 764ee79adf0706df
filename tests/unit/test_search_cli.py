"""`wirespeed search` as a user types it: flags, lines, files, exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.measurement.file import read_file
from wirespeed.measurement.search.live import BAR_CELLS, interval_bar, view
from wirespeed.measurement.search.result import SearchResult, SearchSettings
from wirespeed.measurement.search.run import SearchProgress
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.recorder import JournalRecorder
from wirespeed.results.search_trial import Goal, GoalOutcome
from wirespeed.trial.controller import Interval

SHAPE = "initial=0.05,final=0.05,sum=0.2,width=5%"
QUICK = [
    "-p",
    "bench",
    "-t",
    "size=64",
    "--preset",
    "quick",
    "--goal",
    f"ndr:loss=0,{SHAPE}",
    "--goal",
    f"pdr:loss=0.5%,{SHAPE}",
]


def search(trex: SimulatedTrex, *flags: str) -> int:
    return main(["search", "-s", trex.server, *QUICK, *flags])


def test_goals_and_mrr_are_said_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dut.json"
    with SimulatedTrex(extended=False, capacity_pps=4e6) as trex:
        assert search(trex, "--mrr", "2x0.05", "-u", "-o", str(file)) == 0
        assert trex.idle
    result = read_file(file)
    assert isinstance(result, SearchResult)
    assert result.name == "dut"
    assert [outcome.goal.name for outcome in result.goals] == ["ndr", "pdr"]
    out, err = capsys.readouterr()
    assert out == ""
    assert "for 0.05 s, offered 14.9 Mpps, received 4." in err  # over the same duration
    for words in ("dut complete", "NDR allows 0 % loss: ", "PDR allows 0.5 % loss: ", "Mpps to ", "limited by DUT: "):
        assert words in err
    assert "MRR: " in err
    assert f"result in {file}" in err
    assert not journal_path(file).exists()


def test_mrr_without_a_goal_searches_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(capacity_pps=4e6) as trex:
        assert main(["search", "-s", trex.server, "--mrr", "3x0.05", "-o", str(file)]) == 0
    document = json.loads(file.read_text())
    assert document["schema"] == "wirespeed-search/2"
    assert [trial["purpose"] for trial in document["trials"]] == ["mrr"] * 3
    assert document["mrr"]["count"] == 3
    assert "NDR" not in capsys.readouterr().err


def test_the_result_goes_to_standard_output_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex() as trex:
        assert search(trex, "-q") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["goals"][0]["limit"] == "line"
    assert err == ""


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--goal", "nrd"], "goal 'nrd' is not known"),
        (["--preset", "fast"], "preset 'fast' is not known: give csit, rfc2544, tst009, quick"),
        (["--min", "lots"], "rate 'lots' cannot be read"),
        (["--time", "0"], "time limit 0 is not a duration"),
        (["--mrr", "x"], "MRR 'x' cannot be read"),
        (["--latency", "1%"], "give packets per second"),
        (["--latency", "9kpps,x"], "latency trials of 'x': give seconds, such as 9kpps,5"),
        (["--latency", "9kpps,0"], "latency trials of 0 s: give seconds above 0"),
        (["--lab", "moon"], "--lab moon: there is no such lab; give embedded, linux"),
        (["--lab", "embedded", "--dut", "linux:"], "--lab embedded has a DUT of its own; leave out --dut linux:"),
        (["--directions", "0>1", "-u"], "leave out --ports, --direction and -u"),
    ],
)
def test_flags_that_cannot_be(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "-s", "127.0.0.1:1", *flags]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_lost_device_ends_with_5_and_keeps_its_trials(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(silent=(0, 1)) as trex:
        assert search(trex, "-o", str(file)) == 5
        assert trex.idle
    assert "the DUT returned nothing" in capsys.readouterr().err
    kept = read_file(file)
    assert isinstance(kept, SearchResult)
    assert kept.ending.status == "failed" and kept.trials


def test_what_a_killed_search_left_is_recovered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, spare = tmp_path / "x.json", tmp_path / "y.json"
    with SimulatedTrex(capacity_pps=4e6) as trex:
        assert search(trex, "-q", "-o", str(spare)) == 0
    whole = read_file(spare)
    assert isinstance(whole, SearchResult)
    journal = Journal(journal_path(file))
    writer = JournalRecorder(journal)
    writer.begin(replace(whole, trials=(), goals=tuple(GoalOutcome(outcome.goal) for outcome in whole.goals)))
    for trial in whole.trials[:3]:
        writer.add(trial)
    journal.close()
    with SimulatedTrex() as trex:
        assert search(trex, "-o", str(file)) == 6  # measured data are not overwritten
    assert f"wirespeed search --recover {file}" in capsys.readouterr().err
    assert main(["search", "--recover", str(file)]) == 0
    result = read_file(file)
    assert isinstance(result, SearchResult)
    assert result.trials == whole.trials[:3]
    assert result.ending.status == "interrupted"
    assert all("its journal has" in outcome.irregular for outcome in result.goals)
    assert "x interrupted: 3 trials" in capsys.readouterr().err


def test_the_interval_is_drawn_on_a_logarithmic_axis() -> None:
    goal = Goal("ndr")
    assert interval_bar(Interval(goal, None, None), 1e4, 1e7) == "╶" + "█" * BAR_CELLS + "╴"
    half = interval_bar(Interval(goal, 10**5.5, None), 1e4, 1e7)
    assert half.count("█") == pytest.approx(BAR_CELLS / 2, abs=1)
    narrow = interval_bar(Interval(goal, 5.00e6, 5.01e6), 1e4, 1e7)
    assert narrow.count("█") == 1 and len(narrow) == BAR_CELLS + 2


def test_the_live_view_shows_what_is_held_now_and_each_goal() -> None:
    head = SearchResult("x", SearchSettings(), 1e4, 1e7, most_is_line=True)
    interval = Interval(Goal("ndr"), 5.00e6, 5.01e6)
    progress = SearchProgress(head, (interval,), None, "search", 5.005e6, 1.0, 7, 12.0, 1200.0)
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115, PTH123
    console.print(view(progress, "bench size=64, bidirectional", []))
    text = console.export_text()
    console.file.close()
    for words in ("search at 5.005 Mpps for 1 s", "7 trials", "NDR", "5.00 Mpps to 5.01 Mpps", "1188 s left at most"):
        assert words in text
