"""Registration of handlers of messages: `@handler("show_version")`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from wirespeed.router.api.client import Client
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

Fields = Mapping[str, Any]
Answer = Fields | None | Iterator[Fields | float | None]
"""The fields of the reply beside `context` and a `retval` of 0, or of each message of a stream; what such an iterator
returns are the fields of the reply behind it. It may yield None for others to have their turn, or seconds to wait."""
Function = Callable[[Client, Values], Answer]
_Function = TypeVar("_Function", bound=Function)


@dataclass(frozen=True)
class Handler:
    """`changes`: its effect may concern Linux' side of pairs, and subscribers of events."""

    function: Function
    changes: bool


HANDLERS: dict[str, Handler] = {}


def handler(name: str, *, changes: bool = False) -> Callable[[_Function], _Function]:
    """Make the function answer to messages of that name, which the table has."""

    def register(function: _Function) -> _Function:
        assert name in TABLE.messages, name
        HANDLERS[name] = Handler(function, changes)
        return function

    return register


def change(name: str) -> Callable[[_Function], _Function]:
    """Register a handler that changes something."""
    return handler(name, changes=True)
