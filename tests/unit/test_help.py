"""`--help` of every command fits on a page of 80 columns, with each option and each default."""

from __future__ import annotations

import re

import pytest

from wirespeed.cli.main import COMMANDS, main
from wirespeed.cli.plain import options_of
from wirespeed.cli.tree import CliCommand, commands_of
from wirespeed.console.absent import MOOT

LINES, COLUMNS = 50, 80
EVERY = [one for name in COMMANDS for one in commands_of(name)]
HIDDEN = {*MOOT, "--grace"}
"""Options for T-Rex's users, who need no help with them, and for `--web` of other commands."""
GROUPED = ("loadtest", "search", "rfc2544", "soak", "campaign run")


def help_of(command: CliCommand, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    assert main([*command.words, "--help"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", EVERY, ids=lambda one: one.name)
def test_help_fits_and_has_every_option_with_its_default(
    command: CliCommand, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = help_of(command, monkeypatch, capsys)
    assert told.count("\n") < LINES and max(map(len, told.splitlines())) <= COLUMNS
    words = " ".join(told.split())
    parameters = command.parser().params
    hidden = {name for one in parameters if {*one.opts} & HIDDEN for name in one.opts}
    names = {*re.findall(r"(?<![\w-])--?[a-z][\w-]*", re.sub(r"--\[no-\]([a-z-]+)", r"--\1 --no-\1", words))}
    for option in options_of(command.call):
        if "_" not in option:
            assert option in names | hidden, option
    for parameter in parameters:
        shown = parameter.show_default
        default = shown if isinstance(shown, str) else parameter.default if shown else None
        if default not in (None, False, "", ()) and not callable(default):
            assert " ".join(str(getattr(default, "value", default)).split()) in words, parameter.name


@pytest.mark.parametrize("name", GROUPED)
def test_options_that_are_many_stand_in_groups(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = next(one for one in EVERY if one.name == name)
    groups = re.findall(r"^([A-Z][^:\n]*):$", help_of(command, monkeypatch, capsys), re.MULTILINE)
    assert len({*groups} - {"Arguments"}) >= 3 and len(groups) == len({*groups})
