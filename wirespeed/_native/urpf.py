"""The native router's part of `wirespeed.router.urpf_core.UrpfCore`."""

from __future__ import annotations

from typing import Any

from wirespeed._native.runtime import check
from wirespeed.router.urpf_core import UrpfMode


class NativeUrpf:
    """Mixed into the router, whose handle and library it uses."""

    _lib: Any
    _router: Any

    def set_urpf(self, index: int, version: int, mode: UrpfMode) -> None:
        check(self._lib.ws_router_set_urpf(self._router, index, version, mode))

    def urpf(self, index: int, version: int) -> UrpfMode:
        return UrpfMode(check(self._lib.ws_router_urpf(self._router, index, version)))
