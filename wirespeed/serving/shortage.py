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
    """The message that a listener waits for file descriptors, once a minute. `name` is the listener's."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._said_s = float("-inf")

    def say(self, reason: str) -> None:
        now_s = time.monotonic()
        if now_s - self._said_s >= _SAY_EVERY_S:
            self._said_s = now_s
            advice = "new clients are not served until others leave (ulimit -n sets the limit)"
            print(f"wirespeed: {self._name}: {reason}; {advice}", file=sys.stderr)
