"""Impairments, as the native core stores them; `counters` are those of all interfaces."""

from __future__ import annotations

from wirespeed.errors import UsageError
from wirespeed.router.features.impairment.core import Impairment, ImpairmentCounters


class FakeImpairment:
    def __init__(self) -> None:
        self.settings: dict[int, Impairment] = {}
        self.counters = ImpairmentCounters()

    def set(self, index: int, impairment: Impairment) -> None:
        self.settings[index] = impairment

    def clear(self, index: int) -> None:
        if index not in self.settings:
            raise UsageError(f"interface {index} has no impairment; show impairment lists them")
        del self.settings[index]

    def of(self, index: int) -> tuple[Impairment, ImpairmentCounters] | None:
        return (self.settings[index], self.counters) if index in self.settings else None
