"""`wirespeed soak` as a user types it: flags, lines, files, exit codes."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.errors import UsageError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file, write_file
from wirespeed.measurement.search.result import SearchResult, SearchSettings
from wirespeed.measurement.soak.chronicle import Chronicle
from wirespeed.measurement.soak.journal import SoakJournal
from wirespeed.measurement.soak.live import event_line, gap_line, summary, view
from wirespeed.measurement.soak.result import (
    CounterReading,
    Gap,
    LossEvent,
    ResumeMark,
    SoakFlow,
    SoakResult,
    SoakSettings,
    SoakVerdict,
    Span,
)
from wirespeed.measurement.soak.run import SoakProgress
from wirespeed.measurement.soak.words import needed_text, shown_text, time_text, verdict_text
from wirespeed.results.channel import Channel
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.search_trial import Goal, GoalOutcome
from wirespeed.units import Rate, parse_duration

WIRE = Channel(0, 1)
HEAD = SoakResult("x", SoakSettings(), Rate(1000, "pps"), 1000.0, 60.0, SoakVerdict(1e-3, 0.95), directions=(WIRE,))
SECOND = Span(0.0, 1.0, {WIRE: SoakFlow(1000, 990, 10)}, 1.0)
EVENT = LossEvent(1, 0.0, 1.0, WIRE, 10, "dut", 0.01, drops={"ip4-lookup: no route": 10})
MARK = ResumeMark(
    7,
    0.0,
    CounterReading(0.0, {0: {"opackets": 0}}),
    CounterReading(1.0, {0: {"opackets": 1000}}),
    {WIRE: 10},
    {WIRE: 0},
)


def searched(path: Path, *outcomes: GoalOutcome) -> Path:
    write_file(SearchResult("s", SearchSettings(), 9001.0, 1e6, True, directions=(WIRE,), goals=outcomes), path)
    return path


def said(capsys: pytest.CaptureFixture[str]) -> str:
    err = capsys.readouterr().err.strip()
    assert "\n" not in err, "one line"
    return err


def test_a_soak_says_its_verdict_and_keeps_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dut.json"
    flags = ["--load", "1mpps", "--duration", "2", "--target-loss", "0.5", "-u", "-o", str(file)]
    with SimulatedTrex() as trex:
        assert main(["soak", "-s", trex.server, *flags]) == 0
        assert trex.idle
    result = read_file(file)
    assert isinstance(result, SoakResult) and result.ending.status == "complete"
    assert json.loads(file.read_text())["schema"] == "wirespeed-soak/2"
    out, err = capsys.readouterr()
    assert out == ""
    for words in ("dut complete: 1.00 Mpps", "lost 0 of", "0.5 shown at 95 %: yes", f"result in {file}"):
        assert words in err
    assert not journal_path(file).exists()
    assert main(["soak", "--resume", str(file)]) == 2
    assert "is complete with 2 s; give a longer --duration" in said(capsys)


def test_a_share_of_what_a_search_found(tmp_path: Path) -> None:
    ndr = GoalOutcome(Goal("ndr"), 1e6, 1.1e6)
    found, file = searched(tmp_path / "s.json", ndr), tmp_path / "x.json"
    with SimulatedTrex() as trex:
        flags = ["--from-search", str(found), "--share", "90%", "--duration", "1", "-q", "-o", str(file)]
        assert main(["soak", "-s", trex.server, *flags]) == 0
    result = read_file(file)
    assert isinstance(result, SoakResult)
    assert result.load_pps == 0.9e6
    assert result.variables.load_from == f"90 % of NDR of {found}"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "give the load to hold: --load RATE"),
        (["--load", "30%"], "say how long to hold the load: --duration"),
        (["--load", "30%", "--from-search", "x.json"], "give the load to hold"),
        (["--load", "fast", "--duration", "1"], "rate 'fast' cannot be read"),
        (["--load", "30%", "--duration", "soon"], "duration 'soon' cannot be read"),
        (["--load", "30%", "--duration", "0.1"], "--duration 0.1 s: give at least 1 s"),
        (["--load", "130%", "--duration", "1"], "is above line rate"),
        (["--load", "30%", "--duration", "1", "--target-loss", "2"], "--target-loss 2 is not a loss ratio"),
        (["--load", "30%", "--duration", "1", "--target-loss", "few"], "--target-loss 'few' is not a ratio"),
        (["--load", "30%", "--duration", "1", "--confidence", "100%"], "--confidence 1: give at least 50%"),
        (["--load", "30%", "--duration", "1", "--latency", "5%"], "give packets per second, such as 1kpps, or none"),
        (["--load", "30%", "--duration", "1", "--reconnect-timeout", "-1"], "--reconnect-timeout -1 is not a duration"),
        (["--load", "30%", "--resume", "x.json"], "leave out --load, --from-search and -o"),
    ],
)
def test_what_cannot_be_held_is_one_line(flags: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["soak", *flags]) == 2
    assert words in said(capsys)


def test_searches_that_have_no_such_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = searched(tmp_path / "empty.json", GoalOutcome(Goal("ndr"), None, 9001.0, limit="minimum"))
    other = searched(tmp_path / "other.json", GoalOutcome(Goal("slow"), 1e6))
    write_file(Chronicle(HEAD).told(HEAD), tmp_path / "soak.json")
    for flags, words in (
        (["--from-search", str(empty)], "found no load for NDR"),
        (["--from-search", str(other), "--goal", "ndr"], "has no goal 'ndr': give --goal with one of its own: slow"),
        (["--from-search", str(other), "--share", "0"], "--share 0: give more than 0%"),
        (["--from-search", str(tmp_path / "soak.json")], "is not a result of `wirespeed search`"),
    ):
        assert main(["soak", "--duration", "1", *flags]) == 2
        assert words in said(capsys)
    assert main(["soak", "--resume", str(other)]) == 2
    assert "is not a result of `wirespeed soak`" in said(capsys)
    assert main(["soak", "--resume", str(tmp_path / "none.json")]) == 6


def test_a_journal_is_recovered_and_one_that_is_written_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    journal = Journal(journal_path(file))
    writer = SoakJournal(journal)
    writer.begin(HEAD)
    writer.add_mark(MARK)
    writer.add_second(SECOND, MARK, [EVENT])
    assert main(["soak", "--resume", str(file)]) == 6
    assert "a running test writes" in said(capsys)
    journal.close()
    assert main(["soak", "--recover", str(file)]) == 0
    result = read_file(file)
    assert isinstance(result, SoakResult)
    assert result.ending.status == "interrupted" and result.mark == MARK
    assert (result.verdict.lost, result.events) == (10, (EVENT,))
    assert "its journal has 1 s" in capsys.readouterr().err


def test_a_journal_of_something_else_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = tmp_path / "x.json.part"
    journal.write_text('{"journal": "wirespeed-soak-journal/1", "state": {"schema": "wirespeed-soak/2"}}\n{"gap": 3}\n')
    assert main(["soak", "--recover", str(tmp_path / "x.json")]) == 6
    assert "is not a journal of a soak" in said(capsys)


def test_lines_of_losses_gaps_and_what_is_shown() -> None:
    assert event_line(EVENT) == (
        "loss 1 at 0 s on 0→1: 10 packets (at most 10 ms of traffic in one go) in 1.0 s, by the DUT: "
        "DUT counters: ip4-lookup: no route 10"
    )
    assert gap_line(Gap(60, 5, "generator", "no answer")) == (
        "not observed for 5 s from 60 s: the generator was gone (no answer); losses unknown"
    )
    zero = SoakVerdict(1e-7, 0.95, 1000, 0, needed_s=720.0, watched_s=10)
    assert shown_text(zero) == "1e-07 shown at 95 %: no, needs 12 min more without another loss"
    assert shown_text(SoakVerdict(1e-7, 0.95, shown=True)) == "1e-07 shown at 95 %: yes"
    assert shown_text(SoakVerdict(1e-7, 0.95)) == "1e-07 shown at 95 %: no, nothing was offered"
    above = SoakVerdict(1e-7, 0.95, offered=10**9, lost=10**6, upper_ratio=1.1e-3, lower_ratio=9e-4)
    assert verdict_text(above).endswith("no, the loss ratio is above it (at least 0.0009).")
    chronicle = Chronicle(HEAD)
    chronicle.put(EVENT)
    chronicle.add(SECOND)
    lines = summary(told := chronicle.told(HEAD), verdict_of(told), None)
    assert any("lost 10 of 1,000 (0.01) in 1 event; at most" in line for line in lines)
    assert any("worst minute at 0 s: lost 10 (0.01)" in line for line in lines)
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(view(SoakProgress(HEAD, chronicle, SECOND, (EVENT,), None, 59.0), "title", [event_line(EVENT)]))
    assert "watched" in console.export_text()


def test_times() -> None:
    assert [parse_duration(text) for text in ("60", "500ms", "1.5m", "2 h", "3d")] == [60, 0.5, 90, 7200, 259200]
    assert [needed_text(seconds) for seconds in (0.2, 119, 400, 600)] == ["1 s", "119 s", "7 min", "10 min"]
    assert [time_text(seconds) for seconds in (45, 600, 29100, 266400)] == ["45 s", "10 min", "8 h 5 min", "3 d 2 h"]
    with pytest.raises(UsageError):
        parse_duration("1w")
