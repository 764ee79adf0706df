"""The first commands of how-to pages, run as they stand there: they print what the page shows, with other figures."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ("campaigns.md", "results.md")
_FIGURE = re.compile(r"\d[\d,.]*")


def first_block(page: str) -> str:
    """The first block of a console."""
    found = re.search(r"^```console\n(.*?)^```", (ROOT / "docs" / page).read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def shape(line: str) -> str:
    """A line without its figures and blanks."""
    return " ".join(_FIGURE.sub("N", line).split())


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """The shown lines that were not printed in this order. `…` is any lines, or the rest of a line."""
    rest = iter(map(shape, printed))
    return [
        line
        for line in shown
        if line.strip() != "…"
        and not any(one.startswith(shape(line[:-1])) if line.endswith("…") else one == shape(line) for one in rest)
    ]


@pytest.mark.parametrize("page", PAGES)
def test_the_first_commands_print_what_the_page_shows(page: str, both_cpus: frozenset[int], tmp_path: Path) -> None:
    (tmp_path / "suites").symlink_to(ROOT / "suites")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    commands = 0
    for part in re.split(r"^\$ ", first_block(page), flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        done = subprocess.run(
            ["sh", "-c", f"{command} 2>&1"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
        assert missing(shown, done.stdout.splitlines()) == [], done.stdout
        commands += 1
    assert commands


def test_a_line_that_was_not_printed_is_found() -> None:
    assert missing(["1 result added", "…", "cells …"], ["12 result added", "x", "cells are done"]) == []
    assert missing(["b", "a"], ["a", "b"]) == ["a"]
    assert missing(["1 result added"], ["nothing added"]) == ["1 result added"]
