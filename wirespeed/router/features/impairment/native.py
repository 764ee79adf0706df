"""Impairments of the native router."""

from __future__ import annotations

from dataclasses import asdict

from wirespeed._native.runtime import RouterPart, check, from_struct
from wirespeed.router.features.impairment.core import Impairment, ImpairmentCounters


class ImpairmentCore(RouterPart):
    def set(self, index: int, impairment: Impairment) -> None:
        """In place of the one before; counters go on."""
        struct = self._ffi.new("struct ws_impairment *", asdict(impairment))
        check(self._lib.ws_router_set_impairment(self._router, index, struct))

    def clear(self, index: int) -> None:
        """Packets that wait are dropped."""
        check(self._lib.ws_router_clear_impairment(self._router, index))

    def of(self, index: int) -> tuple[Impairment, ImpairmentCounters] | None:
        """None where the interface is not impaired."""
        settings, counters = self._ffi.new("struct ws_impairment *"), self._ffi.new("struct ws_impairment_counters *")
        if not check(self._lib.ws_router_impairment(self._router, index, settings, counters)):
            return None
        return from_struct(Impairment, settings), from_struct(ImpairmentCounters, counters)


CORE = ImpairmentCore
