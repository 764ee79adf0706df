"""Work of the router's main thread for a feature, in addition to its commands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from wirespeed.router.console import Console


class Control:
    """Root of the controls of features, made with the console; a feature overrides the calls that it needs."""

    def __init__(self, console: Console) -> None: ...

    def serve(self, loop: AbstractEventLoop) -> None:
        """The router serves now, in this loop, which may watch files for the feature."""

    def interval_s(self) -> float:
        """The longest time between two calls of `tick`."""
        return math.inf

    def tick(self) -> None: ...

    def each_second(self) -> None: ...

    def changed(self) -> None:
        """A command, a message or a device may have changed the router."""

    def close(self) -> None: ...
