"""Command lines that are read without the option parser, whose conversion of values (pydantic) is a third of a start.

A line is plain if its words are options by their full names, each once with a value that can be converted, and
arguments. Every other line is the parser's: help, abbreviations, wrong words and their messages.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

from wirespeed.errors import WirespeedError

_INTEGER = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?", re.ASCII)
_HEEDED = {"default", "param_decls", "parser", "min", "max"}
_SHOWN = {"help", "hidden", "metavar", "show_default", "show_choices", "rich_help_panel"}


class NotPlain(Exception):
    """The option parser must read the line."""


def plain_call(function: Callable[..., Any], args: Sequence[str], *, options_anywhere: bool = True) -> dict[str, Any]:
    """The arguments that `args` give to `function`, a command as typer declares it; NotPlain for other lines.
    `options_anywhere`: options may follow arguments."""
    parameters = _parameters(function)
    options = {word: one for one in parameters for word in (*one.words, *one.off)}
    values: dict[str, Any] = {}
    positional = []
    waiting = iter(args)
    for word in waiting:
        if not word.startswith("-") or word == "-":
            positional.append(word)
            continue
        name, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
        option = None if positional and not options_anywhere else options.get(name)
        if option is None or (option.name in values and not option.is_list) or (option.is_flag and equals):
            raise NotPlain
        if option.is_flag:
            values[option.name] = name not in option.off
            continue
        if not equals:
            value = next(waiting, "--")
            if value.startswith("-") and value != "-":
                raise NotPlain
        option.take(value, values)
    for parameter in parameters:
        if parameter.words:
            continue
        while positional and (parameter.is_list or parameter.name not in values):
            parameter.take(positional.pop(0), values)
    if positional or any(one.is_needed and one.name not in values for one in parameters):
        raise NotPlain
    return values


def option_name(function: Callable[..., Any], parameter: str) -> str:
    """The long name of the option that `parameter` of a command holds; NotPlain for commands that are never plain."""
    return next(one.words[-1] for one in _parameters(function) if one.name == parameter)


def options_of(function: Callable[..., Any]) -> dict[str, bool]:
    """The options of a command by each of their names, and which of them stand before a value."""
    return {word: not one.is_flag for one in _parameters(function) for word in (*one.words, *one.off)}


class _Parameter:
    """One parameter of a command; `words` are the option's names, none for an argument; `off` set a flag to False."""

    def __init__(self, declared: inspect.Parameter, hint: Any) -> None:
        kind, info = get_args(hint) if hasattr(hint, "__metadata__") else (hint, None)
        usual = {OptionInfo: OptionInfo(), ArgumentInfo: ArgumentInfo()}.get(type(info))
        if not isinstance(info, ParameterInfo) or usual is None:
            raise NotPlain
        read = vars(info).keys() - _HEEDED - _SHOWN
        if any(getattr(info, name) != getattr(usual, name) for name in read):
            raise NotPlain
        self.name, self.is_needed = declared.name, declared.default is inspect.Parameter.empty
        self.words, self.off = _option_words(declared.name, info) if isinstance(info, OptionInfo) else ((), ())
        if get_origin(kind) in (UnionType, Union):
            kinds = [one for one in get_args(kind) if one is not NoneType]
            kind = kinds[0] if len(kinds) == 1 else object
        self.is_list = get_origin(kind) is list
        self._kind = get_args(kind)[0] if self.is_list else kind
        self.is_flag = self._kind is bool
        self._parser, self._least, self._most = info.parser, info.min, info.max

    def take(self, word: str, values: dict[str, Any]) -> None:
        value = self._converted(word)
        if self.is_list:
            values.setdefault(self.name, []).append(value)
        else:
            values[self.name] = value

    def _converted(self, word: str) -> Any:
        if self._parser is not None:
            try:
                return self._parser(word)
            except (ValueError, WirespeedError):
                raise NotPlain from None
        if self._kind is str:
            return word
        if self._kind is Path:
            return Path(word)
        if get_origin(self._kind) is Literal and word in get_args(self._kind):
            return word
        pattern = {int: _INTEGER, float: _NUMBER}.get(self._kind)
        if pattern is None or not pattern.fullmatch(word):
            raise NotPlain
        number = self._kind(word)
        if (self._least is not None and number < self._least) or (self._most is not None and number > self._most):
            raise NotPlain
        return number


@cache
def _parameters(function: Callable[..., Any]) -> list[_Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [_Parameter(one, hints[name]) for name, one in inspect.signature(function).parameters.items()]


def _option_words(name: str, info: OptionInfo) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The option's names, and those that switch a flag off, which stand behind a slash."""
    said = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
    pairs = [word.partition("/") for word in said or [f"--{name.replace('_', '-')}"]]
    words, off = tuple(on for on, _, _ in pairs), tuple(off for _, _, off in pairs if off)
    if not all(word.startswith("-") for word in (*words, *off)):
        raise NotPlain
    return words, off
