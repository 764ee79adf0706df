"""Rounds of measurements of several contenders, one of which may end early."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from wirespeed.errors import INTERRUPTED, EnvironmentFault, WirespeedError


@dataclass
class Progress:
    """Description of the current run, and the exit code of the program."""

    at: str = ""
    exit_code: int = 0


@contextmanager
def rounds_of(program: str) -> Iterator[Progress]:
    """Context for the rounds. An error or Ctrl-C ends them, and one line names the run and the reason. The program goes
    on behind the context: it shows the runs before, and ends with `exit_code`."""
    progress = Progress()
    try:
        yield progress
    except (WirespeedError, KeyboardInterrupt) as error:
        progress.exit_code = error.exit_code if isinstance(error, WirespeedError) else INTERRUPTED
        words = filter(None, (program, progress.at, str(error) or "interrupted"))
        print(f"{': '.join(words)}; results are those of the runs before", file=sys.stderr, flush=True)


@contextmanager
def living(who: str, is_alive: Callable[[], bool]) -> Iterator[None]:
    """Context that raises EnvironmentFault if the process ends within it, instead of the errors that this causes."""
    fault = EnvironmentFault(f"{who} ended in the middle")
    try:
        yield
    except WirespeedError as error:
        if is_alive():
            raise
        raise fault from error
    if not is_alive():
        raise fault
