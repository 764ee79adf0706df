"""VXLAN tunnels of the native router."""

from __future__ import annotations

from wirespeed._native.addresses import address_struct, read_address
from wirespeed._native.runtime import RouterPart, check
from wirespeed.router.features.vxlan.core import Decap, VxlanTunnel


class VxlanCore(RouterPart):
    def add(self, tunnel: VxlanTunnel) -> int:
        """Return the interface's number; `delete_interface` takes it away."""
        ends = [address_struct(self._ffi, address) for address in (tunnel.source, tunnel.destination)]
        given = (tunnel.instance, *ends, tunnel.vni, tunnel.table, int(tunnel.decap))
        return check(self._lib.ws_router_vxlan_add(self._router, self._ffi.new("struct ws_vxlan_tunnel *", given)))

    def of(self, index: int) -> VxlanTunnel:
        """The tunnel that is this interface; UsageError when it is none."""
        struct = self._ffi.new("struct ws_vxlan_tunnel *")
        check(self._lib.ws_router_vxlan(self._router, index, struct))
        ends = read_address(struct.source), read_address(struct.destination)
        return VxlanTunnel(struct.instance, *ends, struct.vni, struct.table, Decap(struct.decap))


CORE = VxlanCore
