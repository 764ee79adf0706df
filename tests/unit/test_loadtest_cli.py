"""`wirespeed loadtest` as a user types it: flags, exit codes, streams, signals."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from harness.programs import wirespeed
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.measurement.file import read_as
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.codec import to_json
from wirespeed.results.journal import journal_path

QUICK = ["-p", "bench", "-t", "size=64,vm=var2", "-wm", "100kpps", "-wd", "0.1", "-rd", "0.3", "-hd", "0.1"]
QUICK += ["--interval", "0.05"]


def loadtest(trex: SimulatedTrex, *flags: str) -> int:
    return main(["loadtest", "-s", trex.server, *QUICK, *flags])


def test_the_flags_of_trex_loadtest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dut-bench.json"
    with SimulatedTrex() as trex:
        assert loadtest(trex, "-rt", "97", "-u", "-o", str(file)) == 0
        assert trex.idle
    result = read_as(Result, file)
    assert result.name == "dut-bench"
    assert to_json(result.variables) == {
        "server": trex.server,
        "profile_file": "bench",
        "tunables": "size=64,vm=var2",
        "output_file": str(file),
        "warmup_mult": "100kpps",
        "warmup_duration": 0.1,
        "rampup_target": 97.0,
        "rampup_duration": 0.3,
        "hold_duration": 0.1,
        "unidirectional": True,
    }
    out, err = capsys.readouterr()
    assert out == ""
    assert "dut-bench complete" in err
    assert "\n  forwarded " in err and "\n  limited by " in err and "\nworth: " in err
    assert f"result in {file}" in err


def test_long_flags_with_underscores_and_with_dashes(tmp_path: Path) -> None:
    names = ["warmup_mult", "warmup_duration", "rampup_target", "rampup_duration", "hold_duration"]
    values = ["2kpps", "0.1", "5mpps", "0.2", "0.1"]
    for index, between in enumerate("_-"):
        file = tmp_path / f"{index}.json"
        flags = [word for name, value in zip(names, values, strict=True) for word in (f"--{name}", value)]
        with SimulatedTrex() as trex:
            more = ["--server", trex.server, "--profile", "udp_1pkt_simple", "--interval", "0.1", "--output", str(file)]
            more += ["--unidirectional", "--tunables", ""]
            assert (
                main(["loadtest", *(word.replace("_", between) if word[:2] == "--" else word for word in flags), *more])
                == 0
            )
        variables = to_json(read_as(Result, file).variables)
        assert [variables[name] for name in names] == ["2kpps", 0.1, "5mpps", 0.2, 0.1]


def test_the_result_goes_to_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex() as trex:
        assert loadtest(trex) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["schema"].startswith("wirespeed-loadtest/")
    assert set(document["stats"]["0"]) >= {"0", "1", "global", "t", "phase"}
    assert "ramp" in err


def test_on_a_terminal_the_result_goes_to_a_file_named_after_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    with SimulatedTrex() as trex:
        for flags, name in (
            ((), "loadtest-bench-size=64-vm=var2.json"),
            (("-q",), "loadtest-bench-size=64-vm=var2-2.json"),
        ):
            assert loadtest(trex, *flags) == 0
            out, err = capsys.readouterr()
            assert out == "" and f"result in {name}\n" in err
            assert read_as(Result, tmp_path / name).name == name.removesuffix(".json")
    assert len([*tmp_path.iterdir()]) == 2


def test_quiet_says_nothing_and_signals_are_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heeded = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in heeded]
    with SimulatedTrex() as trex:
        assert loadtest(trex, "-q", "-o", str(tmp_path / "x.json")) == 0
    assert capsys.readouterr() == ("", "")
    assert [signal.getsignal(number) for number in heeded] == handlers


def test_a_silent_device_exits_5_and_keeps_its_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(silent=(1,)) as trex:
        assert loadtest(trex, "-o", str(file), "-q") == 5
        assert trex.idle
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wirespeed: the DUT returned nothing")
    result = read_as(Result, file)
    assert result.ending.status == "failed"
    assert result.ending.reason in line
    assert {sample.phase for sample in result.samples} == {"warm-up"}


@pytest.mark.parametrize(
    ("flags", "code", "words"),
    [
        (["-p", "no-such-profile"], 2, "no-such-profile"),
        (["-t", "size=tiny"], 2, "tiny"),
        (["-t", "size"], 2, "KEY=VALUE"),
        (["-wm", "1kbananas"], 2, "1kbananas"),
        (["-wm", "200%"], 2, "exceeds the line"),
        (["-rt", "150"], 2, "at most 100"),
        (["-rt", "much"], 2, "much"),
        (["-wd", "-1"], 2, "warm-up duration"),
        (["-rd", "soon"], 2, "duration 'soon' cannot be read: give seconds, or a number with ms, s, m, h or d"),
        (["-f", "a tenth"], 2, "'a tenth' is not a ratio: give a number such as 0.001, or percent such as 0.1%"),
        (["-rd", "0", "-hd", "0"], 2, "nothing to measure"),
        (["--interval", "0"], 2, "interval"),
        (["-f", "7"], 2, "fail threshold"),
        (["-s", "host:port"], 2, "HOST:PORT"),
        (["--ports", "0,1,2"], 2, "are not pairs of different ports"),
        (["--ports", "0,x"], 2, "are not numbers"),
        (["--ports", "6,7"], 3, "needs port 6"),
        (["--direction", "0-2"], 2, "give 0-1, 1-0 or both"),
        (["-u", "--direction", "1-0"], 2, "one of them"),
        (["--directions", "0>1,0>2"], 2, "port 0 is to send"),
        (["--directions", "0>2,1>2"], 2, "--signature"),
        (["--directions", "0>1", "-u"], 2, "leave out"),
        (["--steps", "1kpps,much"], 2, "much"),
        (["--steps", ","], 2, "name no load"),
        (["--latency", "5%"], 2, "packets per second"),
        (["--line", "fast"], 2, "fast"),
        (["--line", "20G"], 2, "exceeds the line"),
        (["--dut", "toaster:"], 2, "no such device"),
        (["--recover", "/proc/none/x.json"], 6, "there is no journal"),
        (["-o", "/proc/none/x.json"], 6, "/proc/none"),
        (["-o", "/"], 6, "is a directory"),
        (["-o", "/dev/null"], 6, "not a regular file"),
    ],
)
def test_bad_input_is_one_line_and_no_traffic(
    flags: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with SimulatedTrex() as trex:
        assert loadtest(trex, *flags) == code
        assert "acquire" not in trex.methods
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wirespeed: ")
    assert words in line


def test_an_output_that_fails_after_the_test_is_kept_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with SimulatedTrex() as trex:
        trex.on_stop = lambda: shutil.rmtree(folder, ignore_errors=True)
        assert loadtest(trex, "-o", str(folder / "x.json"), "-q") == 6
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line
    assert read_as(Result, Path(line.rpartition("kept in ")[2])).ending.status == "complete"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_traffic_frees_the_ports_and_keeps_the_samples(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "x.json"
    flags = ["-p", "udp_1pkt_simple", "-wd", "0.1", "-rd", "600", "--interval", "0.05", "-o", str(file)]
    with SimulatedTrex() as trex:
        command = wirespeed("loadtest", "-s", trex.server, *flags)
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            seen = next(line for line in process.stderr if " ramp " in line)
            assert "offered" in seen
            process.send_signal(number)
            rest = process.stderr.read()
            assert process.wait() == 130
        assert trex.idle
        assert "stop_traffic" in trex.methods
    assert "Traceback" not in rest
    assert "x interrupted" in rest
    result = read_as(Result, file)
    assert result.ending.status == "interrupted"
    assert result.samples[-1].phase == "ramp"


def test_a_generator_that_dies_exits_4_with_the_samples_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(dies_after=18) as trex:
        assert loadtest(trex, "-o", str(file), "-q") == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "stopped answering" in line
    assert read_as(Result, file).samples


def test_latency_stands_without_a_rate_or_with_one(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(extended=False) as trex:
        assert loadtest(trex, "--latency", "-u", "-q", "-o", str(file)) == 0
        assert read_as(Result, file).variables.latency == 1000.0
        assert loadtest(trex, "-u", "-q", "-o", str(file), "--latency", "2kpps") == 0
        assert read_as(Result, file).variables.latency == 2000.0


def test_steps_directions_and_another_line(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex() as trex:
        flags = [
            "-hd",
            "1.1",
            "--interval",
            "0.55",
            "--steps",
            "100kpps,50%",
            "--direction",
            "1-0",
            "--line",
            "1G",
            "-q",
            "-o",
            str(file),
        ]
        assert loadtest(trex, *flags, "-q", "-o", str(file)) == 0
        assert trex.ports[0].rates_asked == []
        assert trex.ports[1].rates_asked[:2] == pytest.approx([100e3, 1e9 / 672 / 2])
    result = read_as(Result, file)
    assert [sample.phase for sample in result.samples] == ["warm-up"] + ["step"] * 4
    assert list(result.outcome.channels) == ["1→0"]
    best = result.outcome.channels["1→0"].full_load
    assert best is not None
    assert best.received_percent == pytest.approx(50, rel=0.1)
    assert result.ports[1].speed_bps == 1e9
    assert result.ports[1].extra == {"own_speed_bps": 10e9}


def interrupted_by_kill(trex: SimulatedTrex, file: Path) -> None:
    """A load test to `file` that is killed in its ramp."""
    flags = ["-p", "udp_1pkt_simple", "-wd", "0.1", "-rd", "600", "--interval", "0.05", "-o", str(file)]
    command = wirespeed("loadtest", "-s", trex.server, *flags)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert next(line for line in process.stderr if " ramp " in line)
        assert journal_path(file).exists()
        process.kill()
        assert process.wait() == -signal.SIGKILL


def test_a_killed_test_leaves_its_samples_which_the_report_reads_and_recover_makes_a_result_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex() as trex:
        interrupted_by_kill(trex, file)
        assert not file.exists()
        assert {sample.phase for sample in read_as(Result, file).samples} == {"warm-up", "ramp"}
        assert loadtest(trex, "-q", "-o", str(file)) == 6  # measured data are not overwritten
        assert "holds the measurements of a test that did not end" in capsys.readouterr().err
        kept = len(read_as(Result, file).samples)
        assert main(["loadtest", "--recover", str(file)]) == 0
        assert "x interrupted" in capsys.readouterr().err
        assert not journal_path(file).exists()
        result = read_as(Result, file)
        assert (result.ending.status, len(result.samples)) == ("interrupted", kept)
        assert "did not end by itself" in result.ending.reason
        assert result.outcome.channels["0→1"].balance.sent > 0
        assert main(["loadtest", "--recover", str(file)]) == 6
        assert "there is no journal" in capsys.readouterr().err


def test_a_test_that_ends_leaves_no_journal(tmp_path: Path) -> None:
    with SimulatedTrex() as trex:
        assert loadtest(trex, "-q", "-o", str(tmp_path / "x.json")) == 0
        assert loadtest(trex, "-q", "-wm", "200%", "-o", str(tmp_path / "y.json")) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_standard_output_that_fails_keeps_the_result_elsewhere(tmp_path: Path) -> None:
    with SimulatedTrex() as trex, Path("/dev/full").open("w") as full:
        command = wirespeed("loadtest", "-s", trex.server, *QUICK, "-q")
        environment = {**os.environ, "TMPDIR": str(tmp_path)}
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    assert done.returncode == 6
    (line,) = done.stderr.splitlines()
    assert "standard output cannot be written: No space left" in line
    assert read_as(Result, Path(line.rpartition("kept in ")[2])).ending.status == "complete"
    assert not list(tmp_path.glob("*.part"))
