"""The native router's part of `wirespeed.seam.punt.PuntCore`."""

from __future__ import annotations

from typing import Any

from wirespeed._native.runtime import check, core
from wirespeed.seam.punt import PuntPolicer, PuntReason


class NativePunt:
    """Mixed into the router, whose handle and library it uses."""

    _lib: Any
    _router: Any

    def set_punt_policer(self, interface: int | None, reason: PuntReason, policer: PuntPolicer | None) -> None:
        rate, burst = (policer.rate_pps, policer.burst) if policer else (0, 0)
        check(self._lib.ws_router_set_punt_policer(self._router, self._number(interface), reason, rate, burst))

    def punt_policer(self, interface: int | None, reason: PuntReason) -> PuntPolicer | None:
        out = core().ffi.new("struct ws_punt_policer *")
        if not check(self._lib.ws_router_punt_policer(self._router, self._number(interface), reason, out)):
            return None
        return PuntPolicer(out.rate_pps, out.burst, out.passed, out.dropped)

    def _number(self, interface: int | None) -> int:
        return int(self._lib.WS_PUNT_ALL_INTERFACES) if interface is None else interface
