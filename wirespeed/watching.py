"""Watchers of a running measurement: entered before it, called at each step, left after it."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self, TypeVar

from rich.console import Console, RenderableType
from rich.live import Live

Progress_contra = TypeVar("Progress_contra", contravariant=True)


class Watcher(Protocol[Progress_contra]):
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, tb: TracebackType | None
    ) -> None: ...
    def __call__(self, progress: Progress_contra, /) -> None: ...


class Quiet:
    """A watcher that has nothing to enter or to leave."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class NoView(Quiet):
    def __call__(self, progress: object, /) -> None:
        pass


class Redrawn:
    """For terminals: something that is redrawn in place, and gone when it is left."""

    def __init__(self, console: Console) -> None:
        # Drawn at each step and not by a thread of its own: on two CPUs that would be time taken from the DUT.
        self._live = Live(
            console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def _draw(self, shown: RenderableType) -> None:
        self._live.update(shown, refresh=True)
