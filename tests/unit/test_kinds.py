"""The kinds of measurement: nothing outside their folders chooses by the class of a result."""

from __future__ import annotations

import re
from pathlib import Path

import wirespeed
from wirespeed.measurement.registry import class_of, kinds, options_of

ROOT = Path(wirespeed.__file__).parent
CHOICE = re.compile(r"(isinstance\([^\n]*|case )\b(Result|SearchResult|Rfc2544Result|SoakResult)\b")
CHOOSE = {"report/comparison.py": 4}
"""Files that still choose, and how often; this list only shrinks."""


def test_nothing_outside_the_kinds_chooses_by_the_class_of_a_result() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): count
        for path in ROOT.rglob("*.py")
        if not path.is_relative_to(ROOT / "measurement") and (count := len(CHOICE.findall(path.read_text())))
    }
    assert found == CHOOSE


def test_each_kind_has_its_folder_and_its_class_of_results() -> None:
    for kind in kinds():
        assert (ROOT / "measurement" / kind / "verdict.py").is_file()
        assert options_of(kind).__name__.lower().startswith(kind)
        assert class_of(kind).kind == kind
        assert class_of(kind).schema.startswith(f"wirespeed-{kind}/")
