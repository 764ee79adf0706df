"""Includes of native/: a file names the headers of its subjects, so a changed header rebuilds few objects."""

from __future__ import annotations

import re
from pathlib import Path

NATIVE = Path(__file__).resolve().parents[2] / "native"
QUOTED = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)[">]', re.MULTILINE)


def test_only_the_binding_includes_the_umbrella() -> None:
    subjects = {f"wirespeed/{header.name}" for header in (NATIVE / "include/wirespeed").iterdir()}
    including = {path: set(QUOTED.findall(path.read_text())) for path in NATIVE.rglob("*.[ch]")}
    assert including.pop(NATIVE / "include/wirespeed.h") == subjects
    assert [path for path, headers in including.items() if "wirespeed.h" in headers] == []
