"""The interactive side of `wirespeed ctl`: history, completion, and help at `?`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import Output

from wirespeed.errors import WirespeedError
from wirespeed.history import line_history
from wirespeed.router.client import complete
from wirespeed.typed_line import typed_line

PROMPT = "wirespeed# "
_LEAVE = {"q", "quit", "exit"}


class RouterShell:
    """Reads lines until quit or the end of input. `input` and `output` are the terminal's unless given."""

    def __init__(self, path: Path, *, input: Input | None = None, output: Output | None = None) -> None:
        self._keys = KeyBindings()
        self._keys.add("?")(self._help_at_once)
        self._run: Callable[[str], int] = lambda line: 0
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            history=line_history("history"),
            completer=RouterCompleter(path),
            complete_while_typing=False,
            key_bindings=self._keys,
            input=input,
            output=output,
        )

    def run(self, run: Callable[[str], int]) -> None:
        """Hand each line to `run`, which prints its answer or error."""
        self._run = run
        while True:
            try:
                line = typed_line(self._session, _complain).strip()
            except KeyboardInterrupt:
                continue
            except EOFError:
                return
            if line in _LEAVE:
                return
            if line:
                run(line)

    def _help_at_once(self, event: KeyPressEvent) -> None:
        """`?` needs no return key, and the line stays, as on a router's console."""
        line = event.current_buffer.document.text_before_cursor
        run_in_terminal(lambda: self._run(f"{line} ?"))


def _complain(text: str) -> None:
    print(f"wirespeed: {text}", file=sys.stderr)


class RouterCompleter(Completer):
    """Asks the router what could stand at the cursor, so interface names are known as well."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        try:
            words = complete(self._path, document.text_before_cursor)
        except WirespeedError:
            return
        begun = len(document.get_word_before_cursor(WORD=True))
        yield from (Completion(word + " ", start_position=-begun, display=word) for word in words)
