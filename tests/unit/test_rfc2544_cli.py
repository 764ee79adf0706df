"""`wirespeed rfc2544` as a user types it: flags, lines, files, exit codes."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.errors import MeasurementError
from wirespeed.measurement.file import read_file
from wirespeed.measurement.rfc.bench import RfcProgress
from wirespeed.measurement.rfc.command import by_command
from wirespeed.measurement.rfc2544.live import LINES
from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.results.journal import Journal, journal_path
from wirespeed.results.recorder import JournalRecorder

QUICK = ["--sizes", "64", "--trial", "0.1", "--waits", "0,0,0", "--repeats", "1", "--resolution", "5%"]


def rfc2544(trex: SimulatedTrex, *flags: str) -> int:
    return main(["rfc2544", *flags[:1], "-s", trex.server, *QUICK, *flags[1:]])


def test_numbers_are_said_kept_and_written_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, text = tmp_path / "edge.json", tmp_path / "edge.md"
    with SimulatedTrex(capacity_pps=4e6) as trex:
        assert rfc2544(trex, "throughput", "-o", str(file), "--text", str(text)) == 0
        assert trex.idle
    result = read_file(file)
    assert isinstance(result, Rfc2544Result)
    assert result.name == "edge" and result.throughput[0].limit == "dut"
    out, err = capsys.readouterr()
    assert out == ""
    for words in (
        "edge complete: ",
        "throughput 64, trial 2: ",
        "throughput 64: ",
        "§26.1 except: ",
        f"result in {file}",
    ):
        assert words in err
    assert "As a single number: " in text.read_text()
    assert not journal_path(file).exists()
    document = json.loads(file.read_text())
    assert document["schema"] == "wirespeed-rfc2544/2"
    assert document["conformance"]["throughput"].startswith("RFC 2544 §26.1 except: trials of 0.1 s")
    assert document["throughput"][0]["line_percent"] == pytest.approx(result.throughput[0].line_percent)
    assert main(["rfc2544", "--show", str(file)]) == 0
    assert capsys.readouterr().out == text.read_text()


def test_without_a_file_the_result_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex() as trex:
        assert rfc2544(trex, "frame-loss", "-q", "-u") == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["frame_loss"][0]["lossless_twice"] is True
    assert err == ""


def test_a_device_of_somebody_is_reset_by_a_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark, file = tmp_path / "mark", tmp_path / "x.json"
    with SimulatedTrex() as trex:
        assert rfc2544(trex, "reset", "--reset-command", f"touch {mark}", "-o", str(file)) == 0
    assert mark.exists()
    result = read_file(file)
    assert isinstance(result, Rfc2544Result)
    assert result.reset[0].kind == f"by the command touch {mark}"
    assert "reset 64: " in capsys.readouterr().err


def test_all_without_a_way_to_reset_does_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex(extended=False) as trex:
        assert rfc2544(trex, "all", "-q") == 0
    document = json.loads(capsys.readouterr().out)
    assert "reset" not in document["method"]["tests"]
    assert any(note.startswith("reset was left out") for note in document["ending"]["notes"])
    assert "back_to_back" in document and "latency" in document and "recovery" in document


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["speed"], "test 'speed' is not known: give throughput, latency, frame-loss, back-to-back, recovery, reset"),
        (["all", "--sizes", "12"], "size '12' cannot be used: give bytes with FCS from 64 to 9216, or imix"),
        (["all", "--sizes", "64", "--ip6"], "size '64' cannot be used: give bytes with FCS from 82"),
        (["all", "--trial", "0"], "--trial 0 is not a duration"),
        (["all", "--repeats", "0"], "--repeats 0: give 1 or more"),
        (["all", "--resolution", "2"], "--resolution 2: give a share between 0 and 1"),
        (["all", "--waits", "1"], "waits '1' cannot be read"),
        (["all", "-t", "size=64"], "frames are chosen by --sizes and --ip6"),
        (["all", "-t", "colour=blue"], "no tunable 'colour'"),
        (["all", "--ip6", "-t", "vm=tuple"], "vm=tuple is for IPv4; with ip=6, vm is one of none, var1, var2, random"),
        (["all", "--lab", "moon"], "--lab moon: there is no such lab; give embedded, linux"),
        (["all", "--reset-command", "no-such-program-at-all x"], "there is no program 'no-such-program-at-all'"),
        (["all", "--reset-command", "'"], "cannot be read: No closing quotation"),
        (["all", "--directions", "0>1", "-u"], "leave out --ports, --direction and -u"),
    ],
)
def test_flags_that_cannot_be(flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rfc2544", *flags, "-s", "127.0.0.1:1"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_reset_alone_needs_a_way(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex() as trex:
        assert rfc2544(trex, "reset") == 2
    assert "give --reset-command, or --lab embedded" in capsys.readouterr().err


def test_a_device_that_returns_nothing_ends_with_5_and_keeps_its_trials(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(silent=(0, 1)) as trex:
        assert rfc2544(trex, "throughput", "-o", str(file)) == 5
    assert "no throughput was found: the DUT returned nothing" in capsys.readouterr().err
    kept = read_file(file)
    assert isinstance(kept, Rfc2544Result) and kept.trials


def test_what_a_killed_run_left_is_recovered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, spare = tmp_path / "x.json", tmp_path / "y.json"
    with SimulatedTrex(capacity_pps=4e6) as trex:
        assert rfc2544(trex, "throughput", "-q", "-o", str(spare)) == 0
    whole = read_file(spare)
    assert isinstance(whole, Rfc2544Result)
    journal = Journal(journal_path(file))
    writer = JournalRecorder(journal)
    writer.begin(replace(whole, trials=(), throughput=()))
    for trial in whole.trials[:3]:
        writer.add(trial)
    writer.add({"row_of": "throughput", "row": whole.throughput[0]})
    journal.close()
    with SimulatedTrex() as trex:
        assert rfc2544(trex, "throughput", "-o", str(file)) == 6  # measured data are not overwritten
    assert f"wirespeed rfc2544 --recover {file}" in capsys.readouterr().err
    assert main(["rfc2544", "--recover", str(file)]) == 0
    result = read_file(file)
    assert isinstance(result, Rfc2544Result)
    assert (result.trials, result.throughput) == (whole.trials[:3], whole.throughput)
    assert "x interrupted: 3 trials" in capsys.readouterr().err


def test_results_of_other_kinds_are_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex() as trex:
        assert main(["search", "-q", "-s", trex.server, "--mrr", "1x0.05", "-o", str(file)]) == 0
    assert main(["rfc2544", "--show", str(file)]) == 6
    assert "not a result of RFC 2544 tests" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": {"tests": ["speed"], "frames": []}}, "method"),
        ({"throughput": [{"frame": "64"}]}, "throughput"),
        ({"trials": [{"number": 1, "test": "speed"}]}, "test of trial 0 is 'speed'"),
        ({"reset": {}}, "reset is not a list"),
    ],
)
def test_files_that_are_not_what_they_say(
    change: dict[str, object], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    document = {
        "schema": "wirespeed-rfc2544/2",
        "vars": {},
        "method": {"tests": ["throughput"], "frames": ["64"]},
        "directions": ["0→1"],
    }
    file.write_text(json.dumps(document | change))
    assert main(["rfc2544", "--show", str(file)]) == 6
    err = capsys.readouterr().err
    assert f"{file} is not a result of RFC 2544 tests: " in err and message in err
    assert err.count("\n") == 1


def test_a_command_that_fails_is_told_of_with_its_last_line() -> None:
    failing = f"{shlex.quote(sys.executable)} -c 'import sys; sys.exit(\"no such outlet\")'"
    with pytest.raises(MeasurementError, match="ended with exit code 1: no such outlet"):
        by_command(failing, "--reset-command")()


def test_the_live_view_shows_what_is_held_now() -> None:
    with open("/dev/null", "w") as nowhere:  # noqa: PTH123
        console = Console(width=100, file=nowhere, force_terminal=True, record=True)
        with LINES.watcher(console, "RFC 2544 throughput; sizes 64; trials of 2 s", quiet=False) as view:
            view(RfcProgress("throughput 64: 1,000 fps for 2 s", None, "throughput", None, 3, 12.0))
        text = console.export_text()
    assert "throughput 64: 1,000 fps for 2 s; 3 trials, 12 s" in text
