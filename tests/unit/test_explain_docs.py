"""docs/explain.md lists the causes as their files have them; `python tests/unit/test_explain_docs.py` writes it so."""

from __future__ import annotations

import re
from pathlib import Path

from wirespeed.explain.causes import contracts

PAGE = Path(__file__).parents[2] / "docs" / "explain.md"
_PART = re.compile(r"(?<=<!-- causes -->\n).*(?=<!-- end -->)", re.DOTALL)


def listed() -> str:
    rows = ["| cause | is, and is told by |", "|---|---|"]
    rows += [f"| `{name}` | {' '.join(text.split())} |" for name, text in contracts().items()]
    return "\n".join(rows) + "\n"


def test_the_page_has_the_causes_as_their_files_have_them() -> None:
    found = _PART.search(PAGE.read_text())
    assert found is not None and found[0] == listed()


if __name__ == "__main__":
    PAGE.write_text(_PART.sub(lambda _: listed(), PAGE.read_text()))
