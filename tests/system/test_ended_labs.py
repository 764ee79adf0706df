"""Commands that start a lab are ended by SIGTERM at various moments: no process and no file is left."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.programs import wirespeed
from harness.waiting import wait_for

from wirespeed.errors import INTERRUPTED

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")

COMMANDS = {
    "loadtest": ("-wd", "0.2", "-rt", "1000pps", "-rd", "1", "-hd", "0.4", "--interval", "0.2"),
    "search": ("--preset", "quick", "--max", "2kpps", "--time", "5"),
    "rfc2544": ("throughput", "--sizes", "64", "--trial", "0.3", "--resolution", "50%", "--waits", "0.1,0.1,0.1"),
    "soak": ("--load", "1kpps", "--duration", "30"),
}
MOMENTS, APART_S = 20, 0.25


@pytest.fixture
def place() -> Iterator[Path]:
    """The directory for temporary files; its name is short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="ended-") as name:
        yield Path(name)


def started(command: str, place: Path, output: Path) -> subprocess.Popen[str]:
    words = wirespeed(command, *COMMANDS[command], "--lab", "embedded", "-o", output)
    environment = {**os.environ, "TMPDIR": str(place)}
    return subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def children(place: Path) -> list[str]:
    """Command lines of processes of labs in `place`."""
    lines = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return [line for line in lines if f"{place}/" in line]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_ended_while_its_lab_comes_up_leaves_nothing(command: str, place: Path, tmp_path: Path) -> None:
    with started(command, place, tmp_path / "result.json") as running:
        wait_for(lambda: bool(children(place)), "the lab's first process")
        running.terminate()
        _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (INTERRUPTED, "wirespeed: interrupted\n")
    # A process that was just started ends by itself once its parent is gone.
    wait_for(lambda: not children(place), "the end of the lab's processes")
    assert (list(place.iterdir()), list(tmp_path.iterdir())) == ([], [])


def test_a_load_test_ended_while_it_measures_keeps_its_result(place: Path, tmp_path: Path) -> None:
    with started("loadtest", place, tmp_path / "result.json") as running:
        wait_for((tmp_path / "result.json.part").exists, "the journal")
        running.terminate()
        running.communicate(timeout=60)
    assert running.returncode == INTERRUPTED
    assert (children(place), list(place.iterdir())) == ([], [])
    assert not (tmp_path / "result.json.part").exists()


@pytest.mark.long("twenty runs of a load test")
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_load_test_ended_at_any_moment_leaves_nothing(moment: int, place: Path, tmp_path: Path) -> None:
    with started("loadtest", place, tmp_path / "result.json") as running:
        time.sleep(moment * APART_S)
        running.terminate()
        running.communicate(timeout=60)
    assert running.returncode in (0, INTERRUPTED, -signal.SIGTERM)
    assert (children(place), list(place.iterdir())) == ([], [])
    assert not (tmp_path / "result.json.part").exists()
