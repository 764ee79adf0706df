"""Changes of what sends, gathered: a port's worker is asked once for those of a kind that come one after the other.

A thousand requests to pause a thousand profiles would else wait for the worker a thousand times. Whoever asks the core
for anything else has them made first.
"""

from __future__ import annotations

from collections.abc import Callable

from wirespeed._native.generator import NativeGenerator

MAX_FACTOR = 1e9
"""The highest that the core takes."""

MANY_PROFILES = 10
GATHER_S = 0.05
QUIET_S = 0.005
"""From this number of running profiles on, single changes are gathered for a limited time, or until none came for a
while."""


class Changes:
    """Changes of running profiles. A profile that has ended in the meantime is not changed."""

    def __init__(self, core: NativeGenerator) -> None:
        self._core = core
        self._made_at_s = 0.0
        self._kind: tuple[str, int] | None = None
        self._make: Callable[[dict[int, float]], object] = len
        self._waiting: dict[int, float] = {}

    def stop(self, port: int, profile: int) -> None:
        self._add(("stop", port), lambda profiles: self._core.stop(port, profiles), profile)

    def pause(self, port: int, profile: int) -> None:
        self._add(("pause", port), lambda profiles: self._core.pause(port, True, profiles), profile)

    def resume(self, port: int, profile: int) -> None:
        self._add(("resume", port), lambda profiles: self._core.pause(port, False, profiles), profile)

    def set_factor(self, port: int, profile: int, factor: float) -> None:
        self._add(("factor", port), lambda factors: self._core.set_factors(port, factors.items()), profile, factor)

    def _add(
        self, kind: tuple[str, int], make: Callable[[dict[int, float]], object], profile: int, factor: float = 1.0
    ) -> None:
        if kind != self._kind:
            self.make()
            self._kind, self._make = kind, make
        self._waiting[profile] = factor

    @property
    def waiting(self) -> bool:
        return bool(self._waiting)

    def make(self) -> None:
        """Ask the core for all that waits."""
        waiting, self._waiting, self._kind = self._waiting, {}, None
        if waiting:
            self._make(waiting)
            self._made_at_s = self._core.now_s()

    def rest(self, running: int) -> None:
        """After a message: more of the kind may follow where many profiles run."""
        if running < MANY_PROFILES or self._core.now_s() - self._made_at_s > GATHER_S:
            self.make()
