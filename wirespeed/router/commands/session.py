"""Session: help, files of commands, the shell.

- Files can execute other files, up to 8 levels deep. A file has at most 512 MB.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("help [<text>]", "? [<text>]")
def show_help(console: Console, words: Match) -> Iterable[str]:
    """List commands, or possible continuations of the given words; `show ?` does the same."""
    return console.help(words.get("text", ""))


@command("exec <path>")
def execute(console: Console, words: Match) -> Iterable[str]:
    """Run a file of command lines; its name is the rest of the line."""
    return console.run_file(Path(words["path"]))


@command("comment [<text>]")
def comment(console: Console, words: Match) -> None:
    """No effect: a comment."""


@command(
    "set terminal (pager|history|ansi) (on|off) [limit <number>]",
    "set terminal (pager|history) limit <number> [(on|off)]",
)
def set_terminal(console: Console, words: Match) -> None:
    """No effect: pager, history and colours belong to the client."""


@command("quit", "exit")
def leave(console: Console, words: Match) -> None:
    """End the shell; the router continues."""
