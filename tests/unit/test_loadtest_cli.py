"""`wirespeed loadtest` as a user types it: flags, exit codes, streams, signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from simulated_trex import SimulatedTrex

from wirespeed.cli.main import main
from wirespeed.loadtest.result import read_result

QUICK = ["-p", "bench", "-t", "size=64,vm=var2", "-wm", "100kpps", "-wd", "0.1", "-rd", "0.3", "-hd", "0.1"]
QUICK += ["--interval", "0.05"]


def loadtest(trex: SimulatedTrex, *flags: str) -> int:
    return main(["loadtest", "-s", trex.server, *QUICK, *flags])


def test_the_flags_of_trex_loadtest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "dut-bench.json"
    with SimulatedTrex() as trex:
        assert loadtest(trex, "-rt", "97", "-u", "-o", str(file)) == 0
        assert trex.idle
    result = read_result(file)
    assert result.name == "dut-bench"
    assert result.variables == {
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
    assert "0→1  max received" in err
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
        variables = read_result(file).variables
        assert [variables[name] for name in names] == ["2kpps", 0.1, "5mpps", 0.2, 0.1]


def test_the_result_goes_to_standard_output_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with SimulatedTrex() as trex:
        assert loadtest(trex) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert document["schema"].startswith("wirespeed-loadtest/")
    assert set(document["stats"]["0"]) >= {"0", "1", "global", "t", "phase"}
    assert "ramp" in err


def test_quiet_says_nothing_and_signals_are_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    with SimulatedTrex() as trex:
        assert loadtest(trex, "-q", "-o", str(tmp_path / "x.json")) == 0
    assert capsys.readouterr() == ("", "")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_silent_device_exits_5_and_keeps_its_samples(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(silent=(1,)) as trex:
        assert loadtest(trex, "-o", str(file), "-q") == 5
        assert trex.idle
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("wirespeed: the DUT returned nothing")
    result = read_result(file)
    assert result.outcome["status"] == "failed"
    assert result.outcome["reason"] in line
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
        (["-rd", "soon"], 2, "soon"),
        (["-rd", "0", "-hd", "0"], 2, "nothing to measure"),
        (["--interval", "0"], 2, "interval"),
        (["-f", "7"], 2, "fail threshold"),
        (["-s", "host:port"], 2, "HOST:PORT"),
        (["-o", "/proc/none/x.json"], 6, "/proc/none"),
        (["-o", "/"], 6, "is a directory"),
        (["-o", "/dev/null"], 6, "no regular file"),
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
        trex.on_stop = lambda: folder.is_dir() and folder.rmdir()
        assert loadtest(trex, "-o", str(folder / "x.json"), "-q") == 6
    (line,) = capsys.readouterr().err.splitlines()
    assert "cannot be written" in line
    assert read_result(Path(line.rpartition("kept in ")[2])).outcome["status"] == "complete"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_traffic_frees_the_ports_and_keeps_the_samples(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "x.json"
    flags = ["-p", "udp_1pkt_simple", "-wd", "0.1", "-rd", "600", "--interval", "0.05", "-o", str(file)]
    with SimulatedTrex() as trex:
        command = [sys.executable, "-m", "wirespeed", "loadtest", "-s", trex.server, *flags]
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
    result = read_result(file)
    assert result.outcome["status"] == "interrupted"
    assert result.samples[-1].phase == "ramp"


def test_a_generator_that_dies_exits_4_with_the_samples_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "x.json"
    with SimulatedTrex(dies_after=18) as trex:
        assert loadtest(trex, "-o", str(file), "-q") == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "stopped answering" in line
    assert read_result(file).samples
