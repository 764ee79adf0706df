"""The README is short, and its sample output has the current format of the programs."""

from __future__ import annotations

import re
from pathlib import Path

from wirespeed.demo.demo import tables

README = (Path(__file__).parents[2] / "README.md").read_text()
MOST_LINES, MOST_WORDS = 75, 700


def visible_words(text: str) -> list[str]:
    """The visible text: without targets of links, tags, and table borders."""
    text = re.sub(r"<!--.*?-->|\]\([^)]*\)", " ", text)
    text = re.sub(r"<img [^>]*>", " ", text)
    return [word for word in text.split() if re.search(r"\w", word)]


def test_it_is_one_screen_and_a_half() -> None:
    assert len(README.splitlines()) <= MOST_LINES
    assert len(visible_words(README)) <= MOST_WORDS


def test_its_excerpt_has_the_columns_of_the_demo() -> None:
    (header,) = (line for line in README.splitlines() if line.startswith(" load test"))
    _, table = next(tables((), (), {}))
    headings = [str(column.header) for column in table.columns]
    assert re.sub(r"\s+", " ", header).split(" cyc/pkt")[0].strip() == " ".join(headings)
