"""Options of measurements: fields of frozen dataclasses, each with a record that command line and campaign read.

    limit: Annotated[float, Option("--time", "Seconds that the search may take.", setting="time_s")] = 1200.0

A field's type is str, int, float, bool, Path or a tuple of str, alone or with None for an option that is not given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_type_hints

from wirespeed.errors import UsageError
from wirespeed.units import parse_duration


@dataclass(frozen=True, kw_only=True)
class Option:
    """`names` are separated by blanks, those that switch a flag off stand behind a slash; without any it is an
    argument. `shown` is the default in help, or False for none. `bare` is the value of an option that stands without
    one. `parse` reads a value of the command line, such as a duration with its unit. `row` orders the options in help;
    those of a kind itself have 4, or what stands before or after all of them. Help has the options of one `group`
    together.

    `stored` is the key in the settings of a result, of which the command line of that result is made; `unit` goes
    behind a number there. `key` stands for `stored` and `setting` if both are the same.

    `setting` is the key in campaigns, empty for what a campaign cannot set. `place` orders the flags of a cell, whose
    key is made of them in that order: never change it. A campaign keeps a setting within `limits`, by pydantic's names
    for them, to one of `choices`, and to what `check` takes, which raises UsageError. A campaign has to give it if
    `is_needed`, and has `unset` where it does not."""

    names: str = field(kw_only=False)
    help: str = field(kw_only=False)
    metavar: str | None = None
    shown: str | bool = True
    bare: str = ""
    row: int = 4
    group: str = "Test"
    key: str = ""
    stored: str = ""
    unit: str = ""
    setting: str = ""
    place: int = 2
    limits: Mapping[str, float] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    check: Callable[[str], object] | None = None
    parse: Callable[[str], float] | None = None
    is_needed: bool = False
    unset: str | None = None

    def __post_init__(self) -> None:
        for name in ("stored", "setting") if self.key else ():
            object.__setattr__(self, name, self.key)

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(self.names.split())

    @property
    def flag(self) -> str:
        """The long name that campaigns give to the command; empty for an argument."""
        return next((word.partition("/")[0] for word in self.words if word.startswith("--")), "")

    @property
    def off(self) -> str:
        """The name that switches a flag off, if there is one."""
        return next((off for _, _, off in (word.partition("/") for word in self.words) if off), "")


def time_option(names: str, help: str, **more: Any) -> Option:
    """An option whose value is a duration in seconds, or with a unit."""
    return Option(names, help, metavar="TIME", parse=parse_duration, **more)


@dataclass(frozen=True)
class Declared:
    """One option of a kind: the field that holds it; `default` is MISSING where there is none."""

    field: str
    kind: Any
    option: Option
    default: Any = MISSING

    @property
    def value_kind(self) -> Any:
        """The type of a value that is given."""
        kinds = [kind for kind in get_args(self.kind) if kind is not NoneType]
        return kinds[0] if NoneType in get_args(self.kind) and len(kinds) == 1 else self.kind


def declared(options: type) -> tuple[Declared, ...]:
    """The options that a dataclass declares, in the order of help."""
    return _declared_by(options)


def settings(options: type) -> tuple[Declared, ...]:
    """The options that a campaign can set, in the order of a cell's flags."""
    return _settings_of(options)


# Type checkers take no class of options for hashable, so what is cached has a function before it.
@cache
def _declared_by(options: type) -> tuple[Declared, ...]:
    hints = get_type_hints(options, include_extras=True)
    found = [_declared(one, hints[one.name]) for one in fields(options)]
    return tuple(sorted(found, key=lambda one: one.option.row))


@cache
def _settings_of(options: type) -> tuple[Declared, ...]:
    return tuple(sorted((one for one in declared(options) if one.option.setting), key=lambda one: one.option.place))


_KIND_WORDS: dict[Any, tuple[tuple[type, ...], str, str]] = {
    str: ((str,), "a string", "'…'"),
    bool: ((bool,), "True or False", "True"),
    int: ((int,), "a whole number", "3"),
    float: ((int, float), "a number", "10"),
    Path: ((Path,), "a Path", "Path('…')"),
}
"""For each type of a value: the classes that it may have, its name, and an example."""


def check_values(options: Any) -> None:
    """UsageError for the first value that is not of its field's type, such as text for seconds."""
    for entry in declared(type(options)):
        value, name = getattr(options, entry.field), f"{entry.field}="
        if (value is None and entry.value_kind is not entry.kind) or value is entry.default:
            continue
        if entry.value_kind == tuple[str, ...]:
            if not isinstance(value, tuple | list) or not all(isinstance(item, str) for item in value):
                given = value if isinstance(value, str) else "…"
                raise UsageError(f"{name}{value!r} of a test is not a tuple of strings; give e.g. {name}({given!r},)")
            continue
        classes, noun, example = _KIND_WORDS[entry.value_kind]
        example = repr(entry.default) if entry.default else example
        if not isinstance(value, classes) or (isinstance(value, bool) and entry.value_kind is not bool):
            unit = " of seconds" if entry.option.parse is parse_duration else ""
            raise UsageError(f"{name}{value!r} of a test is not {noun}{unit}; give e.g. {name}{example}")
        if isinstance(value, float) and not isfinite(value):
            raise UsageError(f"{name}{value} of a test is not a finite number; give e.g. {name}{example}")


def bare_values(options: type) -> dict[str, str]:
    """The values of options that stand without one, by each of their names."""
    return {word: one.option.bare for one in declared(options) if one.option.bare for word in one.option.words}


def flags_of(options: type, given: Mapping[str, Any]) -> Iterator[str]:
    """The words of a command line that set `given`, values by their settings' names; None is not given."""
    for declared in settings(options):
        value = given.get(declared.option.setting)
        for single in value if isinstance(value, tuple) else (value,):
            if isinstance(single, bool):
                yield from filter(None, [declared.option.flag if single else declared.option.off])
            elif single is not None:
                yield from filter(None, (declared.option.flag, str(single)))


def _declared(one: Field[Any], hint: Any) -> Declared:
    kind, option = get_args(hint)
    return Declared(one.name, kind, option, one.default)
