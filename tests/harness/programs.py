"""Command lines of wirespeed's programs, and one way to run them to their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from wirespeed.bound_child import bound_to_parent

PROGRAM = (sys.executable, "-m", "wirespeed")


def wirespeed(*words: object) -> list[str]:
    """The command line of `wirespeed WORDS…`, run by the interpreter of the tests."""
    return [*PROGRAM, *map(str, words)]


def run_wirespeed(*words: object, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `wirespeed WORDS…` to its end and capture its output; `options` are those of subprocess.run."""
    return subprocess.run(wirespeed(*words), check=check, **{"capture_output": True, "text": True, **options})


def started(command: Sequence[str]) -> subprocess.Popen[str]:
    """A program with pipes for its output, on the CPUs of this thread. It ends when this process does, even by
    SIGKILL.
    """
    bound = bound_to_parent(os.sched_getaffinity(0), signal.SIGTERM)
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, preexec_fn=bound, **pipes)  # noqa: PLW1509 - it takes no lock
