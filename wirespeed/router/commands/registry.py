"""Registration of commands: `@command("syntax", …)`; the first paragraph of the docstring is the help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from wirespeed.errors import UsageError
from wirespeed.router.commands.groups import LONGEST, groups_of
from wirespeed.router.grammar import Grammar, Match, ValueType
from wirespeed.router.value_types import VALUE_TYPES

if TYPE_CHECKING:
    from wirespeed.router.console import Console

Lines = Iterable[str] | None
Function = Callable[["Console", Match], Lines]
_Function = TypeVar("_Function", bound=Function)


@dataclass(frozen=True)
class RouterCommand:
    """Runs `function`, which returns the lines of its answer."""

    summary: str
    function: Function


class GroupedGrammar(Grammar):
    """The grammar of all groups. A line imports those that `groups_of` its words names: no other syntax can match it.
    Errors, help and completion are made from all groups."""

    def __init__(self, types: dict[str, ValueType]) -> None:
        super().__init__(types)
        self._begun: set[tuple[str, ...]] = set()
        self._is_whole = False

    def commands(self) -> list[tuple[str, Any]]:
        self._import_all()
        return super().commands()

    def match(self, line: str, context: Any) -> tuple[Any, Match]:
        if not self._is_whole:
            self._import(tuple(line.split(maxsplit=LONGEST)[:LONGEST]))
            try:
                return super().match(line, context)
            except UsageError:
                self._import_all()
        return super().match(line, context)

    def expected(self, line: str, context: Any) -> list[tuple[str, str]]:
        self._import_all()
        return super().expected(line, context)

    def complete(self, line: str, context: Any) -> list[str]:
        self._import_all()
        return super().complete(line, context)

    def _import_all(self) -> None:
        self._import(())
        self._is_whole = True

    def _import(self, words: tuple[str, ...]) -> None:
        if words in self._begun:
            return
        self._begun.add(words)
        for name in groups_of(words):
            import_module(name)


GRAMMAR = GroupedGrammar(VALUE_TYPES)


def command(*syntaxes: str) -> Callable[[_Function], _Function]:
    """Make the function answer to each of `syntaxes` (see `wirespeed.router.grammar`)."""

    def register(function: _Function) -> _Function:
        summary = " ".join((function.__doc__ or "").partition("\n\n")[0].split()).rstrip(".")
        made = RouterCommand(summary, function)
        for syntax in syntaxes:
            GRAMMAR.add(syntax, made)
        return function

    return register
