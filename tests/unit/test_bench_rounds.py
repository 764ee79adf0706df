"""Programs of `bench/` keep the runs before the end of a contender that ends early."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.harness import Series, awake, command
from bench.rounds import rounds_of
from wirespeed.errors import ConnectionFault, EnvironmentFault

LISTENER = """
import socket, sys, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print("ready", flush=True)
time.sleep(600)
"""


def test_runs_before_the_end_of_a_contender_are_kept(capsys: pytest.CaptureFixture[str]):
    kept, reached = Series(), 0
    with rounds_of("memif") as progress:
        for reached, words in enumerate((["sleep", "600"], ["sleep", "600"], ["true"], ["sleep", "600"]), 1):
            progress.at = f"round {reached} of 4"
            run = Series()
            with command(words) as process:
                run.rates["near"].append(1e6)
                if words == ["true"]:
                    process.wait()
            kept.add(run)
    assert (reached, kept.rates["near"], progress.exit_code) == (3, [1e6, 1e6], EnvironmentFault.exit_code)
    line = "memif: round 3 of 4: true ended in the middle; results are those of the runs before\n"
    assert capsys.readouterr().err == line


@pytest.mark.parametrize(
    ("error", "exit_code", "said"),
    [(ConnectionFault("it went away"), 4, "it went away"), (KeyboardInterrupt(), 130, "interrupted")],
)
def test_other_ends_of_rounds(error: BaseException, exit_code: int, said: str, capsys: pytest.CaptureFixture[str]):
    with rounds_of("no_loss") as progress:
        raise error
    assert progress.exit_code == exit_code
    assert capsys.readouterr().err == f"no_loss: {said}; results are those of the runs before\n"


def test_the_end_of_a_contender_is_told_instead_of_what_it_causes():
    with pytest.raises(EnvironmentFault, match="true ended"), command(["true"]) as process:
        process.wait()
        raise ConnectionFault("port 0 has no link")
    with pytest.raises(ConnectionFault, match="no link"), command(["sleep", "600"]):
        raise ConnectionFault("port 0 has no link")


def test_a_contender_that_cannot_be_started():
    with pytest.raises(EnvironmentFault, match="/no/such/router cannot be started: No such file"):
        command(["/no/such/router"]).__enter__()


def test_a_router_of_somebody_else_that_ends(tmp_path: Path):
    """Its parent has not noticed yet."""
    path = str(tmp_path / "wire0.sock")
    process = subprocess.Popen([sys.executable, "-c", LISTENER, path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process, process.stdout:
        assert process.stdout.readline() == b"ready\n"
        with pytest.raises(EnvironmentFault, match=f"the router at {path} ended"), awake(path):
            process.kill()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with pytest.raises(EnvironmentFault, match="start it first"), awake(path):
        pass
