"""A user's command that resets the device under test, or empties its state table."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable

from wirespeed.errors import MeasurementError, UsageError

MOST_S = 300.0


def by_command(command: str, option: str) -> Callable[[], None]:
    """A function that runs `command` of `option` without a shell and waits for its end. UsageError if it cannot be run;
    the function raises MeasurementError if the command fails or does not end."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{option} {command!r} cannot be read: {error}") from None
    if not words or shutil.which(words[0]) is None:
        name = words[0] if words else ""
        raise UsageError(
            f"{option} {command!r}: there is no program {name!r}; give one that is in PATH, with its arguments"
        )

    def run() -> None:
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=MOST_S, check=False)
        except subprocess.TimeoutExpired:
            raise MeasurementError(f"{option} {command!r} did not end within {MOST_S:g} s") from None
        except OSError as error:
            raise MeasurementError(f"{option} {command!r} cannot be run: {error.strerror or error}") from None
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            last = f": {said[-1]}" if said else ""
            raise MeasurementError(f"{option} {command!r} ended with exit code {done.returncode}{last}")

    return run
