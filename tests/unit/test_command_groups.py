"""The table of modules per command line, compared with the grammar of all modules."""

from __future__ import annotations

from random import Random

import pytest
from command_lines import typed
from fake_router import FakeRouterCore

from wirespeed.errors import UsageError
from wirespeed.router.commands import GRAMMAR
from wirespeed.router.commands.groups import GROUPS, LONGEST, groups_of
from wirespeed.router.console import Console


@pytest.mark.parametrize("seed", range(20))
def test_a_line_that_the_whole_grammar_takes_needs_a_group_that_the_table_names(seed: int) -> None:
    chance, console = Random(seed), Console(FakeRouterCore())
    for _ in range(200):
        line = typed(chance)
        try:
            command, _ = GRAMMAR.match(line, console)
        except UsageError:
            continue
        group = command.function.__module__
        assert group in groups_of(line.split()[:LONGEST]), line


def test_every_syntax_begins_with_a_start_of_its_group() -> None:
    for syntax, command in GRAMMAR.commands():
        group = command.function.__module__
        literals = syntax.partition("<")[0].partition("(")[0].partition("[")[0].split()
        assert group in groups_of(literals[:LONGEST]), syntax


@pytest.mark.parametrize("start", sorted({start for starts in GROUPS.values() for start in starts}))
def test_every_start_begins_a_command(start: str) -> None:
    assert GRAMMAR.expected(start, Console(FakeRouterCore()))
