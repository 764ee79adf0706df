"""The commands by name; a command is a function marked with `@command`."""

from __future__ import annotations

from collections.abc import Callable

from wirespeed.console.grammar import ConsoleCommand, ConsoleOption, Run

COMMANDS: dict[str, ConsoleCommand] = {}
ALIASES = {
    "resolve": "arp",
    "q": "quit",
    "exit": "quit",
    "EOF": "quit",
    "?": "help",
    "h": "history",
    "!": "history",
    "shell": "history",
}

GROUPS = ("Console Commands", "Common Commands", "Stateless Commands")
CONSOLE, COMMON, STATELESS = GROUPS


def command(
    name: str, group: str, summary: str, *options: ConsoleOption, offline: bool = False
) -> Callable[[Run], Run]:
    """Make the function the console's command `name`, which may be several words."""

    def register(run: Run) -> Run:
        COMMANDS[name] = ConsoleCommand(name, group, summary, options, run, offline)
        return run

    return register
