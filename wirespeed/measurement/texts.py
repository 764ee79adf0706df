"""Texts of a device under test, as its result holds them."""

from __future__ import annotations

from pathlib import Path

from wirespeed.errors import FileFault, UsageError
from wirespeed.measurement.file import read_file
from wirespeed.results.collection import is_collected, read_collected


def show(result: Path, wanted: str) -> str:
    """The text of a result's device that `wanted` names, whole or by beginnings of its words; without, their names."""
    texts = (read_collected(result) if is_collected(result) else read_file(result)).dut.texts
    if not texts:
        raise FileFault(f"{result} has no command output of a DUT; measure with --dut, or give a file of `dut collect`")
    if not wanted:
        return "".join(f"{name}\n" for name in texts)
    found = [name for name in texts if name == wanted] or [name for name in texts if _names(wanted, name)]
    if not found:
        raise UsageError(f"{result} has no output of {wanted!r}; it has {', '.join(map(repr, texts))}")
    return texts[found[0]]


def _names(wanted: str, name: str) -> bool:
    words, given = name.split(), wanted.split()
    return len(given) <= len(words) and all(word.startswith(part) for part, word in zip(given, words, strict=False))
