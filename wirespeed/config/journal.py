"""Journal of an application, written line by line while it runs: it outlives the program, and receives its
confirmation.

JSON, one object per line: first the state before, then each step before it begins and after it is done, then the
end."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from wirespeed.config.plan import ConfigPlan
from wirespeed.errors import FileFault, UsageError
from wirespeed.files import read_text_file

SCHEMA = "wirespeed-config-journal/1"
_MOST_BYTES = 1 << 28
_CONFIRMED = b'{"confirmed": true}\n'


class ConfigJournal:
    """A new journal at `path`; it replaces an existing one."""

    def __init__(self, path: Path, plan: ConfigPlan, before: str) -> None:
        """`before` is the YAML of what the router was."""
        self.path = path
        try:
            # Appended to, since whoever confirms writes to it as well.
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise FileFault(
                f"journal {path} cannot be written: {error.strerror}; name another with --journal"
            ) from None
        self._write({"schema": SCHEMA, "steps": len(plan.steps), "before": before}, is_kept=True)

    def begin(self, step: int, lines: list[str]) -> None:
        """Steps count from 1."""
        self._write({"step": step, "lines": lines})

    def done(self, step: int) -> None:
        self._write({"done": step})

    def end(self, how: str) -> None:
        """`applied`, `failed`, `undone` or another state."""
        self._write({"ended": how}, is_kept=True)

    def is_confirmed(self) -> bool:
        try:
            return _CONFIRMED in self.path.read_bytes()
        except OSError:
            return False

    def close(self) -> None:
        os.close(self._file)

    def _write(self, values: dict[str, Any], is_kept: bool = False) -> None:
        try:
            os.write(self._file, json.dumps(values).encode() + b"\n")
            if is_kept:
                os.fsync(self._file)
        except OSError as error:
            raise FileFault(f"journal {self.path} cannot be written: {error.strerror}") from None


def confirm(path: Path) -> None:
    """Have the application that writes this journal stay. UsageError where none waits for it."""
    text = read_text_file(path, "journal", _MOST_BYTES)
    lines = text.splitlines()
    if not lines or SCHEMA.encode() not in lines[0]:
        raise FileFault(f"{path} is not a journal of `wirespeed config apply`; name the one that it printed")
    if not any(line.startswith(b'{"ended": "waits"') for line in lines):
        raise UsageError(
            f"no confirmation is pending in {path}: it was applied without --confirm, or apply is still running"
        )
    if any(line.startswith((b'{"ended": "undone"', b'{"ended": "applied"')) for line in lines):
        raise UsageError(f"{path} is closed: its changes were confirmed or undone already")
    with path.open("ab") as file:
        file.write(_CONFIRMED)
