"""The verdict on the result of a cell, and its figures in one line."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import WirespeedError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.measurement.file import read_file
from wirespeed.results.verdict import Verdict


def headline(file: Path) -> str:
    """Empty for a file that cannot be read."""
    verdict = verdict_in(file)
    return "" if verdict is None else verdict.line


def verdict_in(file: Path) -> Verdict | None:
    """The verdict on the result in a file; None without a readable result."""
    try:
        return verdict_of(read_file(file))
    except WirespeedError:
        return None
