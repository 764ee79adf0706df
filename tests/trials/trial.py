"""What a trial is, how one is told of, and what it may note while it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from harness.waiting import PATIENCE_S, wait_for


class Fault(Exception):
    """What a trial was looking for. Its text says what was done and what came of it."""


class Skipped(Exception):
    """This machine cannot do it; the text says why."""


@dataclass
class Ground:
    """Where a trial takes place: its chance, its size, a directory of its own, and what it found."""

    random: Random
    short: bool
    directory: Path
    packets: int = 0
    """How many packets to send, where somebody named a number; 0 for the trial's own."""
    messages: int = 0
    """As many, of those that the fuzzers send."""
    sanitizer: bool = False
    """Whether the router is to run on the build of the native part with sanitizers."""
    figures: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def times(self, long: int, short: int) -> int:
        return short if self.short else long

    def fault(self, text: str) -> None:
        """Note what must not be, and go on."""
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
    """`limit_s` is when a long one that has not ended counts as hung."""

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
    """Whether it came about in time."""
    try:
        wait_for(condition, "it", patience_s)
    except AssertionError:
        return False
    return True
