"""Public classes have unique names, so that an import is unambiguous."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import wirespeed

CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


def test_no_two_public_classes_have_the_same_name() -> None:
    root = Path(wirespeed.__file__).parent
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(root.rglob("*.py")):
        for name in CLASS.findall(path.read_text()):
            places[name].append(str(path.relative_to(root)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}
