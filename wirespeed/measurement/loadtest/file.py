"""The file of a load test, for those who want no other kind of result."""

from __future__ import annotations

from pathlib import Path

from wirespeed.measurement.file import read_as, write_file
from wirespeed.measurement.loadtest.result import Result


def write_result(result: Result, path: Path) -> None:
    """Write `path` atomically. FileFault when it cannot be written, ValueError when a value is not finite."""
    write_file(result, path)


def read_result(path: Path) -> Result:
    """The load test that `path` holds, or its journal. FileFault names what is wrong with it."""
    return read_as(Result, path)
