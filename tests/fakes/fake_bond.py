"""Bonds and their members, by interface."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from wirespeed.errors import UsageError
from wirespeed.router.features.bond.core import (
    Bond,
    BondMember,
    BondMode,
    LacpMux,
    LacpParty,
    LacpPeriodic,
    LacpPort,
    LacpReceive,
)
from wirespeed.seam.interfaces import InterfaceKind, Mode, RouterInterface

if TYPE_CHECKING:
    from fake_router import FakeRouterCore


class FakeBond:
    def __init__(self, core: FakeRouterCore) -> None:
        self._core = core
        self.bonds: dict[int, Bond] = {}
        self.members: dict[int, BondMember] = {}

    def add(self, bond: Bond) -> int:
        mac = bond.mac or f"02:fe:00:00:00:{bond.id:02x}"
        name = f"BondEthernet{bond.id}"
        index = self._core.add(RouterInterface(name, False, 9000, mac, Mode.L3, 0, (), InterfaceKind.BOND))
        self.bonds[index] = bond
        return index

    def of(self, index: int) -> Bond:
        if index not in self.bonds:
            raise UsageError(f"interface {index} is not a bond")
        ports = tuple(port for port, member in self.members.items() if member.bond == index)
        return replace(self.bonds[index], mac=self._core.interfaces[index].mac, members=ports, active=ports)

    def add_member(self, bond: int, port: int, *, passive: bool = False, long_timeout: bool = False) -> None:
        if port in self.members:
            raise UsageError(f"{self._core.interfaces[port].name} is a member already")
        lacp = None
        if self.of(bond).mode is BondMode.LACP:
            own = LacpParty(0xFFFF, self._core.interfaces[bond].mac, self.bonds[bond].id + 1, 0xFF, port + 1, 0x3F)
            other = LacpParty(0x8000, "02:00:00:00:00:99", 9, 0xFF, 1, 0x3D)
            states = LacpReceive.CURRENT, LacpPeriodic.FAST, LacpMux.DISTRIBUTING
            lacp = LacpPort(own, other, *states, received=7, sent=8)
        self.members[port] = BondMember(bond, passive, long_timeout, True, lacp)

    def remove_member(self, port: int) -> None:
        if self.members.pop(port, None) is None:
            raise UsageError(f"{self._core.interfaces[port].name} is not a member of a bond")

    def member(self, port: int) -> BondMember:
        if port not in self.members:
            raise UsageError(f"{self._core.interfaces[port].name} is not a member of a bond")
        return self.members[port]
