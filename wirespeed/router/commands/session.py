"""help, exec, comment, set terminal, quit: the console itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import Match

if TYPE_CHECKING:
    from wirespeed.router.console import Console


@command("help [<text>]", "? [<text>]")
def show_help(console: Console, words: Match) -> Iterable[str]:
    """What can be typed, or what can follow the words given; `show ?` does the same."""
    return console.help(words.get("text", ""))


@command("exec <file>")
def execute(console: Console, words: Match) -> Iterable[str]:
    """Run a file of command lines."""
    return console.run_file(words["file"])


@command("comment [<text>]")
def comment(console: Console, words: Match) -> None:
    """Nothing: the rest of the line is for people."""


@command(
    "set terminal (pager|history|ansi) (on|off) [limit <number>]",
    "set terminal (pager|history) limit <number> [(on|off)]",
)
def set_terminal(console: Console, words: Match) -> None:
    """Nothing: pages, history and colours are the client's here."""


@command("quit", "exit")
def leave(console: Console, words: Match) -> None:
    """End the shell; the router goes on."""
