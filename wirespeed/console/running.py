"""Runs one line of the console: finds the command, runs it, and turns errors into one line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from wirespeed.console.commands import ALIASES, COMMANDS
from wirespeed.console.commands.console import RunAgain
from wirespeed.console.grammar import commands_of, help_text, parse
from wirespeed.console.session import Session
from wirespeed.errors import INTERRUPTED, WirespeedError

Complain = Callable[[str], None]


def run_line(session: Session, line: str, complain: Complain, timed: bool = False) -> int:
    """Run the commands of a line as typed; returns the first exit code that is not 0. LeaveConsole and EnterTui pass
    through."""
    try:
        commands = commands_of(line)
    except WirespeedError as error:
        complain(str(error))
        return error.exit_code
    if commands:
        session.history.append(line.strip())
    codes = [run_words(session, words, complain, timed) for words in commands]
    return next((code for code in codes if code), 0)


def run_words(session: Session, words: Sequence[str], complain: Complain, timed: bool = False) -> int:
    """Run words that a shell has already split, like `run_line`; `timed` prints how long an action took."""
    started_s = time.perf_counter()
    try:
        parsed = parse(words, COMMANDS, ALIASES)
        command = parsed.command
        if parsed.wants_help:
            session.screen.show(help_text(command, COMMANDS))
            return 0
        if not command.offline:
            session.client  # noqa: B018 - raises while offline
        for note in parsed.notes:
            session.screen.show(note)
        command.run(session, parsed.given)
    except RunAgain as again:
        session.screen.show(again.line)
        return run_line(session, again.line, complain, timed)
    except WirespeedError as error:
        session.note_failure(error)
        complain(str(error))
        return error.exit_code
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    if timed and command.name in _ACTIONS:
        session.screen.show(f"{(time.perf_counter() - started_s) * 1e3:.2f} [ms]")
    return 0


_ACTIONS = {
    "acquire",
    "release",
    "reset",
    "start",
    "stop",
    "update",
    "pause",
    "resume",
    "clear",
    "service",
    "push",
    "pkt",
}
"""Commands after which T-Rex's console says how long they took."""
