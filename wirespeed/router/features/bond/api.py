"""Bonds and their members: made, deleted, dumped. Older messages that say slave have the same handlers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.features.bond.commands import add_bond, delete_one
from wirespeed.router.features.bond.core import BALANCED, Bond, BondBalance, BondMode
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import InterfaceKind, RouterInterface
from wirespeed.vpp_api.codec import Values

_OWN_BALANCE = {BondMode.ROUND_ROBIN: 3, BondMode.BROADCAST: 4, BondMode.ACTIVE_BACKUP: 5}
"""VPP's numbers of how the other modes balance."""


@change("bond_create")
@change("bond_create2")
def create(client: Client, request: Values) -> Answer:
    if request.numa_only or request.get("enable_gso"):
        raise Refusal(Retval.UNIMPLEMENTED)
    if request.mode not in list(BondMode):
        raise Refusal(Retval.INVALID_ARGUMENT)
    mode = BondMode(request.mode)
    if mode in BALANCED and request.lb not in list(BondBalance):
        raise Refusal(Retval.INVALID_ARGUMENT)
    balance = BondBalance(request.lb) if mode in BALANCED else None
    ident = None if request.id == ALL else request.id
    mac = str(request.mac_address) if request.use_custom_mac else None
    return {"sw_if_index": shown_index(add_bond(client.console, mode, balance, ident, mac))}


@change("bond_delete")
def delete(client: Client, request: Values) -> Answer:
    delete_one(client.console, _bond(client, request.sw_if_index)[0])
    return None


@change("bond_enslave")
@change("bond_add_member")
def add_member(client: Client, request: Values) -> Answer:
    bond, port = _bond(client, request.bond_sw_if_index)[0], client.interface(request.sw_if_index)[0]
    client.core.bond.add_member(bond, port, passive=request.is_passive, long_timeout=request.is_long_timeout)
    return None


@change("bond_detach_slave")
@change("bond_detach_member")
def detach_member(client: Client, request: Values) -> Answer:
    client.core.bond.remove_member(client.interface(request.sw_if_index)[0])
    return None


def _bond(client: Client, sw_if_index: int) -> tuple[int, RouterInterface]:
    index, face = client.interface(sw_if_index)
    if face.kind is not InterfaceKind.BOND:
        raise Refusal(Retval.INVALID_SW_IF_INDEX)
    return index, face


@handler("sw_interface_bond_dump")
@handler("sw_bond_interface_dump")
def dump(client: Client, request: Values) -> Answer:
    return _bonds(client, request.get("sw_if_index", ALL))


def _bonds(client: Client, sw_if_index: int) -> Iterator[dict[str, Any]]:
    for index, face in client.chosen(sw_if_index):
        if face.kind is InterfaceKind.BOND:
            bond = client.core.bond.of(index)
            yield {
                "sw_if_index": shown_index(index),
                "id": bond.id,
                "mode": int(bond.mode),
                "lb": _balance(bond),
                **dict.fromkeys(("active_members", "active_slaves"), len(bond.active)),
                **dict.fromkeys(("members", "slaves"), len(bond.members)),
                "interface_name": face.name,
            }


def _balance(bond: Bond) -> int:
    return _OWN_BALANCE.get(bond.mode, int(bond.balance))


@handler("sw_interface_slave_dump")
@handler("sw_member_interface_dump")
def dump_members(client: Client, request: Values) -> Answer:
    return _members(client, request.sw_if_index)


def _members(client: Client, sw_if_index: int) -> Iterator[dict[str, Any]]:
    for index, face in client.chosen(sw_if_index):
        for port in client.core.bond.of(index).members if face.kind is InterfaceKind.BOND else ():
            member = client.core.bond.member(port)
            yield {
                "sw_if_index": shown_index(port),
                "interface_name": client.core.interface(port).name,
                "is_passive": member.is_passive,
                "is_long_timeout": member.is_long_timeout,
            }
