"""Options of another verb are refused, for each pair of a verb and an option of each command with verbs."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from wirespeed.cli.main import COMMANDS, main
from wirespeed.cli.tree import command_tree
from wirespeed.cli.verbs import refuse_other_options
from wirespeed.errors import UsageError

COMMON = {
    "bench": set(),
    "config": set(),
    "corpus": {"corpus"},
    "dut": {"quiet"},
    "stats": {"file"},
    "suite": set(),
}
"""Commands with verbs, and their options that belong to all of these."""


def verbs_of(module: Any) -> tuple[str, ...]:
    """The verbs that the first argument of a command can be; none for a command without verbs."""
    hints = get_type_hints(module.command)
    first = next(iter(hints.values()))
    return get_args(first) if get_origin(first) is Literal else ()


def options_of(command: str) -> dict[str, Any]:
    """The option parser's options of a command by parameter."""
    parameters = command_tree("", COMMANDS, command).commands[command].params
    return {one.name: one for one in parameters if one.param_type_name == "option" and one.name != "help"}


def words_for(command: str, parameter: str) -> list[str]:
    """The option with a value of its type."""
    option = options_of(command)[parameter]
    hint = get_type_hints(import_module(f"wirespeed.cli.{command}").command)[parameter]
    literal = next((kind for kind in (hint, *get_args(hint)) if get_origin(kind) is Literal), None)
    choices = [choice for choice in get_args(literal) if choice]
    return [option.opts[-1]] if option.is_flag else [option.opts[-1], choices[0] if choices else "1"]


def foreign() -> Iterator[tuple[str, str, str]]:
    """Each command, each of its verbs, each parameter of an option that the verb does not take."""
    for command in COMMON:
        module = import_module(f"wirespeed.cli.{command}")
        for verb in verbs_of(module):
            for parameter, verbs in module.OPTION_VERBS.items():
                if verb not in verbs:
                    yield command, verb, parameter


def test_every_command_with_verbs_has_a_table_with_every_option() -> None:
    modules = {command: import_module(f"wirespeed.cli.{command}") for command in COMMANDS}
    assert {command for command, module in modules.items() if verbs_of(module)} == COMMON.keys()
    for command, common in COMMON.items():
        table = modules[command].OPTION_VERBS
        assert options_of(command).keys() == table.keys() | common
        assert {verb for verbs in table.values() for verb in verbs} <= set(verbs_of(modules[command]))


@pytest.mark.parametrize(("command", "verb", "parameter"), [*foreign()])
def test_an_option_of_another_verb_is_refused(
    command: str, verb: str, parameter: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = words_for(command, parameter)
    assert main([command, verb, *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"wirespeed: {command} {verb} takes no {words[0]}, which is an option of {command} ")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("command", COMMON)
def test_own_options_of_a_verb_are_taken(command: str) -> None:
    module = import_module(f"wirespeed.cli.{command}")
    for verb in verbs_of(module):
        given = {parameter: "1" if verb in verbs else None for parameter, verbs in module.OPTION_VERBS.items()}
        refuse_other_options(module.command, module.OPTION_VERBS, verb, given)


@pytest.mark.parametrize("value", [0, 0.0, True, "-", ["x"]])
def test_a_value_that_could_be_a_default_is_an_option_that_was_given(value: object) -> None:
    module = import_module("wirespeed.cli.stats")
    unset = dict.fromkeys(module.OPTION_VERBS)
    with pytest.raises(UsageError, match="stats ls takes no --count, which is an option of stats poll"):
        refuse_other_options(module.command, module.OPTION_VERBS, "ls", unset | {"count": value})


@pytest.mark.parametrize(
    "line",
    [
        "corpus add f.json --output -",
        "bench schema --duration 3",
        "bench check f.yaml --listen 127.0.0.1",
        "bench example --port 6379",
        "suite schema --wait 600",
        "dut collect --dut none --mode ip4",
        "dut describe --dut none --duration 10",
        "dut restore --dut none --filter on",
        "stats dump --interval 1",
    ],
)
def test_an_option_with_its_default_value_is_seen(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert "which is an option of" in capsys.readouterr().err


@pytest.mark.parametrize("command", COMMON)
def test_help_of_a_verb_has_its_options_only(command: str) -> None:
    module = import_module(f"wirespeed.cli.{command}")
    for verb in verbs_of(module):
        shown = command_tree("", COMMANDS, command, [verb, "--help"]).commands[command].params
        names = {one.name for one in shown if one.param_type_name == "option" and not one.hidden} - {"help"}
        assert names == COMMON[command] | {name for name, verbs in module.OPTION_VERBS.items() if verb in verbs}
