"""Waiting commands: a command yields a pause among its lines, and the sender or printer of the lines waits."""

from __future__ import annotations


class Pause(str):
    """An empty line to whoever knows nothing of it."""

    seconds: float

    def __new__(cls, seconds: float) -> Pause:
        made = super().__new__(cls)
        made.seconds = seconds
        return made
