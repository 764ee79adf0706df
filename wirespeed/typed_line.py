"""A line typed at a prompt of prompt_toolkit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from prompt_toolkit import PromptSession


def typed_line(session: PromptSession[str], complain: Callable[[str], None], *message: Any, **options: Any) -> str:
    """The next line; `message` and `options` are those of `session.prompt`.

    A fault in the event loop is complained of in one line. prompt_toolkit itself would show a traceback and wait for
    Enter, for ever where a signal has asked for the end.
    """

    def tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        if isinstance(fault := context.get("exception"), Exception):
            complain(f"{context.get('message', 'fault')}: {fault!r}")

    def prepare() -> None:
        asyncio.get_running_loop().set_exception_handler(tell)

    return session.prompt(*message, pre_run=prepare, set_exception_handler=False, **options)
