"""docs/causes.md lists the causes from their files; `python -m manual references docs` writes it."""

from __future__ import annotations

from pathlib import Path

from manual.markdown import causes_table

PAGE = Path(__file__).parents[2] / "docs" / "causes.md"


def test_the_page_has_the_causes_as_their_files_have_them() -> None:
    assert PAGE.read_text() == causes_table()
