"""A listener of a process that has no file descriptor left for its next client."""

from __future__ import annotations

import errno
import sys
import time

PAUSE_S = 1.0
"""Time until the listener tries again."""
SHORT_OF = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Errors of accept() that pass once others have closed what they hold."""
_SAY_EVERY_S = 60.0


class Notice:
    """A message of a listener that comes once a minute at most, such as that it waits for file descriptors. `name` is
    the listener's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._said_s = float("-inf")

    def is_due(self) -> bool:
        """True once a minute at most: the caller says it then."""
        now_s = time.monotonic()
        if now_s - self._said_s < _SAY_EVERY_S:
            return False
        self._said_s = now_s
        return True

    def say(self, reason: str) -> None:
        if self.is_due():
            advice = "new clients are not served until others leave (ulimit -n sets the limit)"
            print(f"wirespeed: {self._name}: {reason}; {advice}", file=sys.stderr)
