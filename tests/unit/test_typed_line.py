"""A fault in a prompt's event loop neither stops the line that is typed nor asks for a key."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prompt_toolkit import PromptSession
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from wirespeed.typed_line import typed_line


def typed_beside(fault: Callable[[asyncio.AbstractEventLoop], None]) -> tuple[str, list[str]]:
    """The typed line after a fault in the loop, and the error messages."""
    said: list[str] = []
    with create_pipe_input() as terminal:

        def message() -> str:
            if not begun:
                begun.append(True)
                loop = asyncio.get_running_loop()
                fault(loop)
                loop.call_later(0.0, terminal.send_text, "show run\n")
            return "> "

        begun: list[bool] = []
        session: PromptSession[str] = PromptSession(input=terminal, output=DummyOutput())
        return typed_line(session, said.append, message), said


def test_a_fault_in_the_loop_is_one_line() -> None:
    line, said = typed_beside(lambda loop: loop.call_exception_handler({"message": "no", "exception": OSError("gone")}))
    assert (line, said) == ("show run", ["no: OSError('gone')"])


def test_an_end_that_a_signal_asked_for_is_no_fault() -> None:
    end = {"message": "Task exception was never retrieved", "exception": SystemExit(130)}
    assert typed_beside(lambda loop: loop.call_exception_handler(end)) == ("show run", [])
    assert typed_beside(lambda loop: loop.call_exception_handler({"message": "pending"})) == ("show run", [])
