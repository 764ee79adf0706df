"""The stand-in's part of `wirespeed.seam.bond.BondCore`: bonds and members are kept by interface."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.errors import UsageError
from wirespeed.seam.bond import Bond, BondMember, BondMode, LacpMux, LacpParty, LacpPeriodic, LacpPort, LacpReceive
from wirespeed.seam.interfaces import Interface, InterfaceKind, Mode


class FakeBond:
    interfaces: dict[int, Interface]

    def __init__(self) -> None:
        self.bonds: dict[int, Bond] = {}
        self.members: dict[int, BondMember] = {}

    def _free(self) -> int:
        raise NotImplementedError

    def _add(self, index: int, face: Interface) -> int:
        raise NotImplementedError

    def add_bond(self, bond: Bond) -> int:
        mac = bond.mac or f"02:fe:00:00:00:{bond.id:02x}"
        name = f"BondEthernet{bond.id}"
        index = self._add(self._free(), Interface(name, False, 9000, mac, Mode.L3, 0, (), InterfaceKind.BOND))
        self.bonds[index] = bond
        return index

    def bond(self, index: int) -> Bond:
        if index not in self.bonds:
            raise UsageError(f"interface {index} is not a bond")
        ports = tuple(port for port, member in self.members.items() if member.bond == index)
        return replace(self.bonds[index], mac=self.interfaces[index].mac, members=ports, active=ports)

    def add_bond_member(self, bond: int, port: int, *, passive: bool = False, long_timeout: bool = False) -> None:
        if port in self.members:
            raise UsageError(f"{self.interfaces[port].name} is a member already")
        lacp = None
        if self.bond(bond).mode is BondMode.LACP:
            own = LacpParty(0xFFFF, self.interfaces[bond].mac, self.bonds[bond].id + 1, 0xFF, port + 1, 0x3F)
            other = LacpParty(0x8000, "02:00:00:00:00:99", 9, 0xFF, 1, 0x3D)
            states = LacpReceive.CURRENT, LacpPeriodic.FAST, LacpMux.DISTRIBUTING
            lacp = LacpPort(own, other, *states, received=7, sent=8)
        self.members[port] = BondMember(bond, passive, long_timeout, True, lacp)

    def remove_bond_member(self, port: int) -> None:
        if self.members.pop(port, None) is None:
            raise UsageError(f"{self.interfaces[port].name} is not a member of a bond")

    def bond_member(self, port: int) -> BondMember:
        if port not in self.members:
            raise UsageError(f"{self.interfaces[port].name} is not a member of a bond")
        return self.members[port]
