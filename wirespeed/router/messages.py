"""Messages of the router to people: to its terminal and log at once, and kept for `show logging`."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import IntEnum

_MOST_KEPT = 512


class Level(IntEnum):
    """Severities of syslog, the gravest first; DISABLED is for classes that say nothing."""

    DISABLED = -1
    EMERG = 0
    ALERT = 1
    CRIT = 2
    ERROR = 3
    WARN = 4
    NOTICE = 5
    INFO = 6
    DEBUG = 7


@dataclass(frozen=True)
class LogMessage:
    time_s: float
    level: Level
    about: str
    text: str


@dataclass(frozen=True)
class Filter:
    """The least grave level of a class that `show logging` keeps and that the terminal gets, and the most messages a
    second, None for any number."""

    kept: Level = Level.DEBUG
    shown: Level = Level.DEBUG
    per_second: int | None = None


@dataclass
class _Second:
    """The messages of a class in one second since 1970."""

    number: int = 0
    count: int = 0


def _to_stderr(text: str) -> None:
    print(f"wirespeed: {text}", file=sys.stderr)


@dataclass
class Messages:
    """The last messages, and where further ones go; a class is the part of the router that a message is about."""

    show: Callable[[str], None] = _to_stderr
    kept: deque[LogMessage] = field(default_factory=lambda: deque(maxlen=_MOST_KEPT))
    _filters: dict[str, Filter] = field(default_factory=dict)
    _seconds: dict[str, _Second] = field(default_factory=dict)

    def warn(self, about: str, text: str) -> None:
        self.say(about, Level.WARN, text)

    def say(self, about: str, level: Level, text: str) -> None:
        chosen = self._filters.get(about, Filter())
        now_s = time.time()
        if chosen.per_second is not None and self._count(about, int(now_s)) > chosen.per_second:
            return
        if level <= chosen.kept:
            self.kept.append(LogMessage(now_s, level, about, text))
        if level <= chosen.shown:
            self.show(text)

    def _count(self, about: str, number: int) -> int:
        second = self._seconds.setdefault(about, _Second())
        if second.number != number:
            second.number, second.count = number, 0
        second.count += 1
        return second.count

    def choose(self, about: str, **changes: Level | int) -> None:
        """Change fields of the class's `Filter`."""
        self._filters[about] = replace(self._filters.get(about, Filter()), **changes)  # type: ignore[arg-type]
