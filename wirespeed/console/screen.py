"""Destination of a command's output: the shell's terminal, a pipe, or a pane of the tui."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.text import Text

STEP_WIDTH = 60


class Screen(Protocol):
    """`notify` is for what happens by itself, and may be called from any thread."""

    def show(self, text: Text | str = "") -> None: ...
    def notify(self, text: str) -> None: ...


class ProgressText(Text):
    """Text that a quiet screen omits."""


class TerminalScreen:
    """Standard output; plain text if it is not a terminal."""

    def __init__(self, quiet: bool = False) -> None:
        self._console = Console(highlight=False)
        self._quiet = quiet

    def show(self, text: Text | str = "") -> None:
        if self._quiet and isinstance(text, ProgressText):
            return
        self._console.print(text, soft_wrap=True, markup=False)

    def notify(self, text: str) -> None:
        self._console.print(Text(text, "yellow"), soft_wrap=True)


@contextmanager
def step(screen: Screen, text: str) -> Iterator[None]:
    """One action of a command, whose line says how it ended."""
    try:
        yield
    except BaseException:
        screen.show(ProgressText.assemble(f"{text:<{STEP_WIDTH}} ", ("[FAILED]", "bold red")))
        raise
    screen.show(ProgressText.assemble(f"{text:<{STEP_WIDTH}} ", ("[SUCCESS]", "bold green")))
