"""Bonds of the native router."""

from __future__ import annotations

from typing import Any

from wirespeed._native.runtime import RouterPart, check
from wirespeed.model import mac_bytes
from wirespeed.router.features.bond.core import (
    Bond,
    BondBalance,
    BondMember,
    BondMode,
    LacpMux,
    LacpParty,
    LacpPeriodic,
    LacpPort,
    LacpReceive,
)


class BondCore(RouterPart):
    def add(self, bond: Bond) -> int:
        """Return the interface's number; `delete_interface` takes it away."""
        struct = self._ffi.new("struct ws_bond *")
        struct.id, struct.mode, struct.balance = bond.id, int(bond.mode), int(bond.balance)
        if bond.mac is not None:
            struct.has_mac = True
            self._ffi.memmove(struct.mac, mac_bytes(bond.mac), 6)
        return check(self._lib.ws_router_bond_add(self._router, struct))

    def of(self, index: int) -> Bond:
        """The bond that is this interface; UsageError when it is none."""
        struct = self._ffi.new("struct ws_bond *")
        check(self._lib.ws_router_bond(self._router, index, struct))
        members = tuple(struct.members[i] for i in range(struct.member_count))
        active = tuple(port for i, port in enumerate(members) if struct.is_active[i])
        mac = bytes(struct.mac).hex(":")
        return Bond(struct.id, BondMode(struct.mode), BondBalance(struct.balance), mac, members, active)

    def add_member(self, bond: int, port: int, *, passive: bool = False, long_timeout: bool = False) -> None:
        check(self._lib.ws_router_bond_member_add(self._router, bond, port, passive, long_timeout))

    def remove_member(self, port: int) -> None:
        check(self._lib.ws_router_bond_member_del(self._router, port))

    def member(self, port: int) -> BondMember:
        """UsageError when the interface is not a member of a bond."""
        struct = self._ffi.new("struct ws_bond_member *")
        check(self._lib.ws_router_bond_member(self._router, port, struct))
        lacp = _lacp(struct) if struct.has_lacp else None
        return BondMember(struct.bond, struct.is_passive, struct.is_long_timeout, struct.is_active, lacp)


def _lacp(struct: Any) -> LacpPort:
    states = LacpReceive(struct.receive_state), LacpPeriodic(struct.periodic_state), LacpMux(struct.mux_state)
    return LacpPort(_party(struct.actor), _party(struct.partner), *states, struct.received, struct.sent)


def _party(struct: Any) -> LacpParty:
    system = bytes(struct.system).hex(":")
    return LacpParty(struct.system_priority, system, struct.key, struct.port_priority, struct.port, struct.state)


CORE = BondCore
