"""How a command waits: it yields a pause among its lines, and whoever sends or prints the lines waits meanwhile."""

from __future__ import annotations


class Pause(str):
    """An empty line to whoever knows nothing of it."""

    seconds: float

    def __new__(cls, seconds: float) -> Pause:
        made = super().__new__(cls)
        made.seconds = seconds
        return made
