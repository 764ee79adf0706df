"""Checks the parameters of requests: missing ones and wrong types are answered with T-Rex's texts."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from wirespeed.generator.rpc import Json, bad_parameters

UInt64 = Annotated[int, "uint64"]
"""Plain `int` takes 32 bits."""

Name = Annotated[str, "name"]
"""Kept, and told to others: a user, a profile."""

FileName = Annotated[str, "file name"]

_MAX_NAME_CHARS = 255
_MAX_FILE_NAME_BYTES = 4095  # PATH_MAX of Linux, with its NUL

REQUIRED = inspect.Parameter.empty
"""The default of a parameter that has none."""

_ANY_VALUE = (str, bool, dict, list)
"""Types of which every value will do."""

Byte = Annotated[int, "byte"]
UInt16 = Annotated[int, "uint16"]
_MAXIMA = {"byte": (1 << 8) - 1, "uint16": (1 << 16) - 1, "uint32": (1 << 32) - 1, "uint64": (1 << 64) - 1}
_TOO_BIG_FOR = {"byte": "uint8"}
"""T-Rex's other word for a type."""


def read(params: Json, name: str, kind: Any, default: Any = REQUIRED) -> Any:
    """One parameter, checked; `kind` is str, bool, int, float, dict, list or an annotated one of them."""
    value: Any = params.get(name)
    if value is None:
        if default is REQUIRED:
            raise bad_parameters(f"field '{name}' value is null")
        return default
    base, expected = _described(kind)
    if type(value) is base and base in _ANY_VALUE:
        _check_name(name, value, kind)
        return value
    if base is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value) if abs(value) < 1e300 else math.inf
    if not isinstance(value, base) or (base is not bool and isinstance(value, bool)):
        raise bad_parameters(f"'{name}' is '{type_name(value)}', expecting '{expected}'")
    if base is int and value < 0:
        raise bad_parameters(f"'{name}' is 'int', expecting '{expected}'")
    if base is int and value > _MAXIMA[expected]:
        raise bad_parameters(f"'{name}' has size bigger than {_TOO_BIG_FOR.get(expected, expected)}.")
    if base is float and not math.isfinite(value):
        raise bad_parameters(f"field '{name}' is not a finite number")
    return value


def one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Refuse a field that is none of some words."""
    if value not in allowed:
        words = " ,".join(f"'{word}'" for word in allowed)
        raise bad_parameters(f"field '{name}' can only be one of [{words}]")


def _check_name(name: str, value: str, kind: Any) -> None:
    if kind == Name and len(value) > _MAX_NAME_CHARS:
        raise bad_parameters(f"field '{name}' has {len(value)} characters, expecting at most {_MAX_NAME_CHARS}")
    if kind == FileName:
        length = len(value.encode(errors="replace"))
        if length > _MAX_FILE_NAME_BYTES:
            raise bad_parameters(f"field '{name}' has {length} bytes, expecting at most {_MAX_FILE_NAME_BYTES}")


@functools.cache
def _described(kind: Any) -> tuple[Any, str]:
    """The Python type and T-Rex's word for it; an optional type is described by its other type."""
    if get_origin(kind) in (Union, UnionType):  # the first is that of an annotated type or None
        (kind,) = (member for member in get_args(kind) if member is not NoneType)
    note = getattr(kind, "__metadata__", (None,))[0]
    base = getattr(kind, "__origin__", kind)
    words = {str: "string", bool: "bool", int: "uint32", float: "double", dict: "object", list: "array"}
    return base, note if note in _MAXIMA else words[base]


def type_name(value: Any) -> str:
    """T-Rex's word for the type of what JSON gave."""
    for kind, word in ((bool, "bool"), (int, "int"), (float, "double"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return word
    return "object"
