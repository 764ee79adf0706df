"""`wirespeed ctl`: one command of a running router, several from standard input, or a shell."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from wirespeed.errors import WirespeedError

# The words of a router's command are not options of ours.
CONTEXT = {"ignore_unknown_options": True}
RESERVED = ("stats",)
"""No command of a router begins with it."""


def command(
    words: Annotated[list[str] | None, typer.Argument(metavar="[COMMAND...]", help="E.g. show run.")] = None,
    socket: Annotated[
        Path | None,
        typer.Option("-s", "--socket", metavar="PATH", help="Control socket.", show_default="that of `router`"),
    ] = None,
) -> int:
    """Control a running router: one command, several from standard input, or a shell.

    `show ?` lists the words that can follow `show`. `wirespeed ctl stats ls|dump|poll` reads the router's counters
    in shared memory.
    """
    from wirespeed.router.protocol import default_socket  # noqa: PLC0415 - keeps --help of other commands fast

    path = socket or default_socket()
    if words:
        return _run(path, " ".join(words))
    if sys.stdin.isatty():
        return _shell(path)
    codes = [_run(path, line) for line in sys.stdin if line.strip()]
    return next((code for code in codes if code), 0)


def _run(path: Path, line: str) -> int:
    """Print what the router answers; an error goes to stderr and its exit code is returned."""
    from wirespeed.router.client import stream  # noqa: PLC0415

    try:
        for piece in stream(path, line):
            sys.stdout.write(piece)
        sys.stdout.flush()
    except WirespeedError as error:
        sys.stdout.flush()
        print(f"wirespeed: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def _shell(path: Path) -> int:
    from wirespeed.router.shell import RouterShell  # noqa: PLC0415 - prompt_toolkit takes its time

    # Greets, and ends here when there is no router to talk to.
    code = _run(path, "show version")
    if not code:
        RouterShell(path).run(lambda line: _run(path, line))
    return code
