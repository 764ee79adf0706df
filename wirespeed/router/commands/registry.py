"""How a function becomes a command: `@command("syntax", …)`; the first line of its docstring is its help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from wirespeed.router.grammar import Grammar, Match
from wirespeed.router.value_types import VALUE_TYPES

if TYPE_CHECKING:
    from wirespeed.router.console import Console

Lines = Iterable[str] | None
Function = Callable[["Console", Match], Lines]
_Function = TypeVar("_Function", bound=Function)


@dataclass(frozen=True)
class Command:
    """Runs `function`, which returns the lines of its answer."""

    summary: str
    function: Function


GRAMMAR = Grammar(VALUE_TYPES)


def command(*syntaxes: str) -> Callable[[_Function], _Function]:
    """Make the function answer to each of `syntaxes` (see `wirespeed.router.grammar`)."""

    def register(function: _Function) -> _Function:
        summary = (function.__doc__ or "").strip().partition("\n")[0].rstrip(".")
        made = Command(summary, function)
        for syntax in syntaxes:
            GRAMMAR.add(syntax, made)
        return function

    return register
