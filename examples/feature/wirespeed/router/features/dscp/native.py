"""DSCP counts of the native router."""

from __future__ import annotations

from collections.abc import Sequence

from wirespeed._native.runtime import RouterPart, check


class DscpCore(RouterPart):
    def set(self, index: int, on: bool) -> None:
        """Count IPv4 packets that the interface receives, or no longer."""
        check(self._lib.ws_router_set_dscp(self._router, index, on))

    def is_on(self, index: int) -> bool:
        return bool(check(self._lib.ws_router_dscp(self._router, index)))

    def counts(self) -> Sequence[int]:
        """Packets by DSCP, of all interfaces."""
        counts = self._ffi.new("uint64_t[]", self._lib.WS_DSCP_VALUES)
        self._lib.ws_router_dscp_counts(self._router, counts)
        return list(counts)


CORE = DscpCore
