"""The native router's part of `wirespeed.seam.impairment.ImpairmentCore`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from wirespeed._native.runtime import check, from_struct
from wirespeed.seam.impairment import Impairment, ImpairmentCounters


class NativeImpairment:
    """Mixed into the router, whose handle and library it uses."""

    _ffi: Any
    _lib: Any
    _router: Any

    def set_impairment(self, index: int, impairment: Impairment) -> None:
        struct = self._ffi.new("struct ws_impairment *", asdict(impairment))
        check(self._lib.ws_router_set_impairment(self._router, index, struct))

    def clear_impairment(self, index: int) -> None:
        check(self._lib.ws_router_clear_impairment(self._router, index))

    def impairment(self, index: int) -> tuple[Impairment, ImpairmentCounters] | None:
        settings, counters = self._ffi.new("struct ws_impairment *"), self._ffi.new("struct ws_impairment_counters *")
        if not check(self._lib.ws_router_impairment(self._router, index, settings, counters)):
            return None
        return from_struct(Impairment, settings), from_struct(ImpairmentCounters, counters)
