"""Lines that are parsed without the option parser give a command the same arguments as the parser."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Literal, get_args, get_origin

import pytest

from wirespeed.cli.main import COMMANDS
from wirespeed.cli.plain import NotPlain, plain_call
from wirespeed.cli.tree import CliCommand, commands_of

_ODD = ["-1", "-2.5", "1e3", "0x1", "-", "--", "-x", "--no", "--help", "-h", "\u0663", "=", "a=b", "9" * 20]
_FITTING = {int: "0 1 7 100", float: "1 2.5 30", Path: "./f /tmp/x -", str: "x a,b e0=null 10%"}


def fitting(chance: Random, hint: Any) -> list[str]:
    """The arguments that an option needs: none, or usually one that matches the declared type."""
    kind = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    while get_args(kind) and get_origin(kind) is not Literal:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return [chance.choice(get_args(kind))]
    return [chance.choice(_FITTING[kind].split())] if kind in _FITTING else []


def line(chance: Random, parameters: Iterable[inspect.Parameter]) -> list[str]:
    """The arguments that the command requires and some of its options, in any order, sometimes with an error."""
    pieces = []
    for one in parameters:
        info = one.annotation.__metadata__[0]
        said = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
        names = [name for word in said for name in word.split("/")]
        if one.default is not inspect.Parameter.empty and chance.random() < 0.8:
            continue
        value = fitting(chance, one.annotation)
        if names and value and chance.random() < 0.2:
            pieces.append([f"{chance.choice(names)}={value[0]}"])
        else:
            pieces.append([*([chance.choice(names)] if names else []), *value])
    chance.shuffle(pieces)
    words = [word for piece in pieces for word in piece]
    if chance.random() < 0.3:
        words[(at := chance.randint(0, len(words))) : at + chance.randint(0, 1)] = [chance.choice(_ODD)]
    if words and chance.random() < 0.1:
        at = chance.randrange(len(words))
        words[at] = words[at][:4]
    return words


def parsed(command: CliCommand, args: list[str]) -> dict[str, Any] | None:
    """The arguments from typer; None for a line that it refuses or answers itself."""
    taken: list[dict[str, Any]] = []

    @functools.wraps(command.call)
    def take(**given: Any) -> None:
        taken.append(given)

    try:
        replace(command, call=take).parser().main(args=args, prog_name=command.name, standalone_mode=False)
    except Exception as error:
        assert hasattr(error, "format_message") or hasattr(error, "exit_code"), error
    return taken[0] if taken else None


@pytest.mark.parametrize("name", COMMANDS)
def test_a_plain_line_says_what_the_parser_reads(name: str) -> None:
    for command in commands_of(name):
        anywhere = command.settings.get("allow_interspersed_args", True)
        parameters = inspect.signature(command.call, eval_str=True).parameters
        defaults = {key: one.default for key, one in parameters.items()}
        chance, plain = Random(command.name), 0
        for _ in range(40):
            args = line(chance, parameters.values())
            try:
                given = plain_call(command.call, args, options_anywhere=anywhere)
            except NotPlain:
                continue
            plain += 1
            assert parsed(command, args) == defaults | given, args
    assert plain >= 10
