"""Log: the messages of the router.

- `show logging` has the last 512 messages that the router wrote to its terminal. Only the classes `linux-cp`, `api`,
  `interface` and `ip6` write messages.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wirespeed.router.commands.registry import command
from wirespeed.router.grammar import LITERAL, Match
from wirespeed.router.messages import Level

if TYPE_CHECKING:
    from wirespeed.router.console import Console

_LEVELS = "emerg|alert|crit|error|warn|notice|info|debug|disabled"
_SPELLED = {"level": "kept", "syslog-level": "shown"}


@command("show logging")
def show_logging(console: Console, words: Match) -> Iterator[str]:
    """The last messages of the router, oldest first."""
    for message in console.messages.kept:
        thousandths = int(message.time_s % 1 * 1000)
        stamp = time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(message.time_s))
        yield f"{stamp}:{thousandths:03} {message.level.name.lower():<10} {message.about:<14} {message.text}"


@command("clear logging")
def clear_logging(console: Console, words: Match) -> None:
    """Delete these messages."""
    console.messages.kept.clear()


@command(
    f"set logging class <word:class> ([rate-limit <number:rate>]|[level ({_LEVELS})]|[syslog-level ({_LEVELS})])..."
)
def set_class(console: Console, words: Match) -> None:
    """Filter messages of a class: level for show logging, syslog-level for terminal and log, rate-limit for both."""
    about = words["class"]
    if "rate" in dict(words.values):
        console.messages.choose(about, per_second=words["rate"])
    bare = [value for name, value in words.values if name == LITERAL]
    for word, level in zip(bare, bare[1:], strict=False):
        if word in _SPELLED:
            console.messages.choose(about, **{_SPELLED[word]: Level[level.upper()]})
