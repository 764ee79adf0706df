"""Unicast reverse path forwarding, as the native core stores it."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed.errors import UsageError
from wirespeed.router.features.urpf.core import Urpf, UrpfAccepted


class FakeUrpf:
    def __init__(self) -> None:
        self.settings: dict[tuple[int, int, bool], Urpf] = {}
        self.sources: list[UrpfAccepted] = []

    def set(self, index: int, version: int, urpf: Urpf, tx: bool = False) -> None:
        self.settings[index, version, tx] = urpf

    def of(self, index: int, version: int, tx: bool = False) -> Urpf:
        return self.settings.get((index, version, tx), Urpf())

    def accept(self, accepted: UrpfAccepted, on: bool) -> None:
        if on == (accepted in self.sources):
            raise UsageError(f"sources of {accepted.prefix} are {'already' if on else 'not'} accepted")
        (self.sources.append if on else self.sources.remove)(accepted)

    def accepted(self) -> Sequence[UrpfAccepted]:
        return self.sources
