"""The kinds of measurement: nothing outside their folders chooses by the class of a result."""

from __future__ import annotations

import re
from pathlib import Path

import wirespeed
from wirespeed.measurement.registry import about_of, class_of, kinds, options_of, report_of
from wirespeed.measurement.reported import ReportedKind

ROOT = Path(wirespeed.__file__).parent
CHOICE = re.compile(r"(isinstance\([^\n]*|case )\b(Result|SearchResult|Rfc2544Result|SoakResult)\b")


def test_nothing_outside_the_kinds_chooses_by_the_class_of_a_result() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if not path.is_relative_to(ROOT / "measurement") and CHOICE.search(path.read_text())
    }
    assert not found


def test_each_kind_has_its_folder_and_its_class_of_results() -> None:
    for kind in kinds():
        assert (ROOT / "measurement" / kind / "verdict.py").is_file()
        assert options_of(kind).__name__.lower().startswith(kind)
        assert class_of(kind).kind == kind
        assert class_of(kind).schema.startswith(f"wirespeed-{kind}/")
        assert isinstance(report_of(kind), ReportedKind)
    assert len({about_of(kind).order for kind in kinds()}) == len(kinds())
