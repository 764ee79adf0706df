"""A test that shows itself in the browser while it runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from test_web import ask
from web_events import Events

from wirespeed.cli.main import main

pytest.importorskip("wirespeed._native._core", reason="the native core is not built")


def test_a_load_test_shows_itself_while_it_runs(tmp_path: Path) -> None:
    words = ["loadtest", "--lab", "embedded", "-p", "bench", "-t", "size=64", "-wd", "0.2", "-rt", "5kpps", "-rd", "0"]
    words += ["-hd", "4", "-o", str(tmp_path / "own.json"), "--web"]
    process = subprocess.Popen(
        [sys.executable, "-m", "wirespeed", *words], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    assert process.stderr is not None
    address = next(line.split()[1] for line in process.stderr if line.startswith("live: "))
    try:
        with Events(address.removesuffix("live") + "events", patience_s=30.0) as events:
            frames = events.until("frames")[1]
            assert frames[-1]["ways"]["0→1"][1] > 0
            assert frames[-1]["cost"]["classes"]["lookup"] > 0
    finally:
        process.stderr.read()
        process.stderr.close()
        assert process.wait(60) == 0
    with pytest.raises(ConnectionRefusedError):
        ask(address)
    assert main(["loadtest", "--web", "-o", "-", "--lab", "embedded"]) == 2
