"""DSCP counts, as the native core keeps them."""

from __future__ import annotations

from collections.abc import Sequence


class FakeDscp:
    def __init__(self, core: object) -> None:
        self.interfaces: set[int] = set()
        self.packets = [0] * 64

    def set(self, index: int, on: bool) -> None:
        (self.interfaces.add if on else self.interfaces.discard)(index)

    def is_on(self, index: int) -> bool:
        return index in self.interfaces

    def counts(self) -> Sequence[int]:
        return self.packets


FAKE = FakeDscp
