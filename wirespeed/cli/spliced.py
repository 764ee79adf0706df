"""Commands that take the options of a dataclass: typer sees each of its fields as a parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from wirespeed.cli.options import reading
from wirespeed.measurement.option import Declared, declared
from wirespeed.units import parse_duration

_Options = TypeVar("_Options")


def spliced(command: Callable[[_Options], int], options: type[_Options]) -> Callable[..., int]:
    """`command`, which takes one dataclass of options (measurement/option.py), as a function that takes them one by
    one."""
    parameters = [_parameter(one) for one in declared(options)]

    @wraps(command)
    def spread(**given: Any) -> int:
        return command(options(**{name: tuple(v) if isinstance(v, list) else v for name, v in given.items()}))

    spread.__signature__ = inspect.Signature(parameters, return_annotation=int)  # type: ignore[attr-defined]
    spread.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": int}
    return spread


def _parameter(declared: Declared) -> inspect.Parameter:
    option, kind, default = declared.option, declared.kind, declared.default
    if kind == tuple[str, ...]:
        kind, default = list[str] | None, None
    shown: dict[str, Any] = {"metavar": option.metavar, "help": option.help, "show_default": option.shown}
    if option.parse is not None:
        shown["parser"] = reading(option.parse)
    if option.parse is parse_duration and isinstance(default, float) and option.shown is True:
        shown["show_default"] = f"{default:g}s"
    if option.words:
        shown["rich_help_panel"] = option.group
    info = typer.Option(*option.words, **shown) if option.words else typer.Argument(**shown)
    return inspect.Parameter(
        declared.field,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if default is MISSING else default,
        annotation=Annotated[kind, info],
    )
