"""Punt policers of the native router."""

from __future__ import annotations

from wirespeed._native.runtime import RouterPart, check
from wirespeed.router.features.punt.core import PuntPolicer, PuntReason


class PuntCore(RouterPart):
    """`interface` is None for all interfaces together."""

    def set_policer(self, interface: int | None, reason: PuntReason, policer: PuntPolicer | None) -> None:
        """None: as many as come. The counts of `policer` are of no account."""
        rate, burst = (policer.rate_pps, policer.burst) if policer else (0, 0)
        check(self._lib.ws_router_set_punt_policer(self._router, self._number(interface), reason, rate, burst))

    def policer(self, interface: int | None, reason: PuntReason) -> PuntPolicer | None:
        out = self._ffi.new("struct ws_punt_policer *")
        if not check(self._lib.ws_router_punt_policer(self._router, self._number(interface), reason, out)):
            return None
        return PuntPolicer(out.rate_pps, out.burst, out.passed, out.dropped)

    def _number(self, interface: int | None) -> int:
        return int(self._lib.WS_PUNT_ALL_INTERFACES) if interface is None else interface


CORE = PuntCore
