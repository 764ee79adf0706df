"""VXLAN tunnels, by interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.features.vxlan.core import VxlanTunnel
from wirespeed.seam.interfaces import InterfaceKind, Mode, RouterInterface

if TYPE_CHECKING:
    from fake_router import FakeRouterCore


class FakeVxlan:
    def __init__(self, core: FakeRouterCore) -> None:
        self._core = core
        self.tunnels: dict[int, VxlanTunnel] = {}

    def add(self, tunnel: VxlanTunnel) -> int:
        mac = f"02:fe:00:00:00:{tunnel.instance:02x}"
        name = f"vxlan_tunnel{tunnel.instance}"
        index = self._core.add(RouterInterface(name, False, 1500, mac, Mode.L3, 0, (), InterfaceKind.VXLAN))
        self.tunnels[index] = tunnel
        return index

    def of(self, index: int) -> VxlanTunnel:
        if index not in self.tunnels:
            raise UsageError(f"interface {index} is not a VXLAN tunnel")
        return self.tunnels[index]
