"""The native router's part of `wirespeed.seam.vxlan.VxlanCore`."""

from __future__ import annotations

from typing import Any

from wirespeed._native.addresses import address_struct, read_address
from wirespeed._native.runtime import check
from wirespeed.seam.vxlan import Decap, VxlanTunnel


class NativeVxlan:
    """Mixed into the router, whose handle and library it uses."""

    _ffi: Any
    _lib: Any
    _router: Any

    def add_vxlan(self, tunnel: VxlanTunnel) -> int:
        ends = [address_struct(self._ffi, address) for address in (tunnel.source, tunnel.destination)]
        given = (tunnel.instance, *ends, tunnel.vni, tunnel.table, int(tunnel.decap))
        return check(self._lib.ws_router_vxlan_add(self._router, self._ffi.new("struct ws_vxlan_tunnel *", given)))

    def vxlan(self, index: int) -> VxlanTunnel:
        struct = self._ffi.new("struct ws_vxlan_tunnel *")
        check(self._lib.ws_router_vxlan(self._router, index, struct))
        ends = read_address(struct.source), read_address(struct.destination)
        return VxlanTunnel(struct.instance, *ends, struct.vni, struct.table, Decap(struct.decap))
