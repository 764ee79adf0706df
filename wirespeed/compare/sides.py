"""The two sides of a comparison: result files, and folders of them."""

from __future__ import annotations

from pathlib import Path

from wirespeed.compare.figures import Subject, Value, figures
from wirespeed.errors import FileFault, UsageError
from wirespeed.results.file import read_file


def read_side(where: Path) -> dict[Subject, list[Value]]:
    """What was measured in a file, or in all of a folder, in the order of their names. UsageError where that is nothing
    to compare, FileFault for a file that is no result."""
    values: dict[Subject, list[Value]] = {}
    for file in files_of(where):
        for subject, value in figures(read_file(file)):
            values.setdefault(subject, []).append(value)
    if not values:
        raise UsageError(f"{where} has no rate to compare; give results of load tests, searches or RFC 2544 tests")
    return values


def files_of(path: Path) -> list[Path]:
    """The results of a folder by name, or the file itself."""
    if not path.is_dir():
        return [path]
    try:
        found = sorted(path.glob("*.json"))
    except OSError as error:
        raise FileFault(f"folder {path} cannot be read: {error.strerror}") from None
    if not found:
        raise FileFault(f"folder {path} has no result in it (*.json)")
    return found
