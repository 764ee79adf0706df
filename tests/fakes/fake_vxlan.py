"""The stand-in's part of `wirespeed.seam.vxlan.VxlanCore`: tunnels are kept by interface."""

from __future__ import annotations

from wirespeed.errors import UsageError
from wirespeed.seam.interfaces import Interface, InterfaceKind, Mode
from wirespeed.seam.vxlan import VxlanTunnel


class FakeVxlan:
    def __init__(self) -> None:
        self.tunnels: dict[int, VxlanTunnel] = {}

    def _free(self) -> int:
        raise NotImplementedError

    def _add(self, index: int, face: Interface) -> int:
        raise NotImplementedError

    def add_vxlan(self, tunnel: VxlanTunnel) -> int:
        mac = f"02:fe:00:00:00:{tunnel.instance:02x}"
        name = f"vxlan_tunnel{tunnel.instance}"
        index = self._add(self._free(), Interface(name, False, 1500, mac, Mode.L3, 0, (), InterfaceKind.VXLAN))
        self.tunnels[index] = tunnel
        return index

    def vxlan(self, index: int) -> VxlanTunnel:
        if index not in self.tunnels:
            raise UsageError(f"interface {index} is not a VXLAN tunnel")
        return self.tunnels[index]
