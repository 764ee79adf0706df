"""`wirespeed campaign` in a separate process, as run by a user."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from harness.programs import wirespeed
from harness.waiting import wait_for


class CampaignProcess:
    """A run with these arguments; its output is kept and can be waited for."""

    def __init__(self, *words: object, directory: Path) -> None:
        self.lines: list[str] = []
        self._said = threading.Condition()
        self._process = subprocess.Popen(
            wirespeed("campaign", *words),
            cwd=directory,
            env={**os.environ, "PYTHONPATH": str(Path.cwd())},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with self._said:
                self.lines.append(line.rstrip())
                self._said.notify_all()
        with self._said:
            self.lines.append("(end of output)")
            self._said.notify_all()

    def wait_for(self, words: str) -> None:
        """Wait for a line with these words; AssertionError if it ends, or takes too long, without it."""
        with self._said:
            ended = lambda: any(words in line or line == "(end of output)" for line in self.lines)  # noqa: E731
            assert self._said.wait_for(ended, 120.0), self.text
            assert any(words in line for line in self.lines), self.text

    def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until the condition is true; AssertionError if it ends before, or takes too long."""

        def came_about() -> bool:
            assert self._process.poll() is None, self.text
            return is_so()

        wait_for(came_about, "what the campaign does", 120.0)

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> int:
        """Wait for the end; returns its exit code."""
        code = self._process.wait(240.0)
        self._reader.join()
        self._process.stdout.close()  # type: ignore[union-attr]
        return code

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def suite(*words: object, directory: Path) -> tuple[int, str]:
    """A complete run: its exit code and output."""
    run = CampaignProcess(*words, directory=directory)
    return run.end(), run.text
