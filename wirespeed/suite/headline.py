"""What a result found, in a few words, for the line of its cell."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import WirespeedError
from wirespeed.explain.verdicts import verdict_of
from wirespeed.results.file import read_file
from wirespeed.results.soak import SoakResult


def headline(file: Path) -> str:
    """Empty for a file that cannot be read."""
    try:
        result = read_file(file)
    except WirespeedError:
        return ""
    return "" if isinstance(result, SoakResult) else verdict_of(result).line
