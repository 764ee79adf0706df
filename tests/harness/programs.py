"""Command lines of wirespeed's programs, and one way to run them to their end."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

PROGRAM = (sys.executable, "-m", "wirespeed")


def wirespeed(*words: object) -> list[str]:
    """The command line of `wirespeed WORDS…`, run by the interpreter of the tests."""
    return [*PROGRAM, *map(str, words)]


def run_wirespeed(*words: object, check: bool = False, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `wirespeed WORDS…` to its end and keep what it prints; `options` are those of subprocess.run."""
    return subprocess.run(wirespeed(*words), check=check, **{"capture_output": True, "text": True, **options})
