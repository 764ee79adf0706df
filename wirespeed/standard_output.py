"""Standard output whose failures are known as its own, whatever writes to it.

An EPIPE or ENOSPC of a socket or another file means something else, and click and rich end a program by themselves
when they see EPIPE.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any

CLOSED_PIPE = 141
"""Exit code that a shell shows for a program ended by SIGPIPE."""


class OutputLost(OSError):
    """Standard output cannot be written. `is_closed`: its reader is gone."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(f"standard output cannot be written: {cause.strerror}")
        self.strerror = cause.strerror
        self.is_closed = isinstance(cause, BrokenPipeError)


class _Raw(io.FileIO):
    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputLost(error) from None


def guard_output() -> None:
    """Let `sys.stdout` raise OutputLost. If it was closed from the start, output is discarded."""
    before = sys.stdout
    if isinstance(before, io.TextIOWrapper):
        before.flush()
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Raw(before.fileno(), "wb", closefd=False)),
            encoding=before.encoding,
            errors=before.errors,
            line_buffering=before.line_buffering,
            write_through=before.write_through,
        )


def give_output_up() -> None:
    """Discard buffered and further output, which the interpreter would write again at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
