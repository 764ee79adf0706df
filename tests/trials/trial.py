"""A trial, its registration, and what it may record while it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from harness.waiting import PATIENCE_S, wait_for


class Fault(Exception):
    """A fault found by a trial. The text says what was done and what happened."""


class Skipped(Exception):
    """This machine cannot run the trial; the text has the reason."""


@dataclass
class Ground:
    """Environment of a trial: its random sequence, its size, its directory, and the faults found."""

    random: Random
    short: bool
    directory: Path
    packets: int = 0
    """Number of packets to send, if given by the user; 0: the trial's default."""
    messages: int = 0
    """Likewise for messages of fuzzers."""
    sanitizer: bool = False
    """True if the router runs on the build of the native part with sanitizers."""
    figures: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def times(self, long: int, short: int) -> int:
        return short if self.short else long

    def fault(self, text: str) -> None:
        """Record a fault, and continue."""
        print(f"  FAULT {text}", file=sys.stderr, flush=True)
        self.faults.append(text)

    def say(self, text: str) -> None:
        print(f"  {text}", file=sys.stderr, flush=True)

    def new_directory(self, name: str) -> Path:
        path = self.directory / name
        path.mkdir(parents=True)
        return path


@dataclass(frozen=True)
class Trial:
    """`limit_s`: a long trial that runs for longer counts as hung."""

    name: str
    title: str
    run: Callable[[Ground], None]
    limit_s: float


TRIALS: dict[str, Trial] = {}


def trial(
    name: str, title: str, *, limit_s: float = 3600.0
) -> Callable[[Callable[[Ground], None]], Callable[[Ground], None]]:
    """Register the function below as a trial."""

    def add(run: Callable[[Ground], None]) -> Callable[[Ground], None]:
        TRIALS[name] = Trial(name, title, run, limit_s)
        return run

    return add


def until(condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> bool:
    """True if the condition became true in time."""
    try:
        wait_for(condition, "it", patience_s)
    except AssertionError:
        return False
    return True
