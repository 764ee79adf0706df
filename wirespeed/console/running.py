"""Runs one line of the console: finds the command, runs it, and turns errors into one line."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from wirespeed.console.commands import ALIASES, COMMANDS
from wirespeed.console.grammar import help_text, parse, words_of
from wirespeed.console.session import Session
from wirespeed.errors import INTERRUPTED, UsageError, WirespeedError

Complain = Callable[[str], None]


def run_line(session: Session, line: str, complain: Complain, timed: bool = False, in_tui: bool = False) -> int:
    """Run a line as typed; returns its exit code. LeaveConsole and EnterTui pass through."""
    try:
        words = words_of(line)
    except WirespeedError as error:
        complain(str(error))
        return error.exit_code
    if not words:
        return 0
    session.history.append(line.strip())
    return run_words(session, words, complain, timed, in_tui)


def run_words(
    session: Session, words: Sequence[str], complain: Complain, timed: bool = False, in_tui: bool = False
) -> int:
    """As `run_line`, for words that a shell has already split; `timed` says how long an action took."""
    started_s = time.perf_counter()
    try:
        parsed = parse(words, COMMANDS, ALIASES)
        command = parsed.command
        if parsed.wants_help:
            session.screen.show(help_text(command, COMMANDS))
            return 0
        if in_tui and command.endless:
            raise UsageError(f"{command.name} needs the whole terminal; leave the tui with q first")
        if not command.offline:
            session.client  # noqa: B018 - raises while offline
        command.run(session, parsed.given)
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
