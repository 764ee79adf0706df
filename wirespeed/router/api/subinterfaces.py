"""create_subif, create_vlan_subif, create_loopback, and what deletes them."""

from __future__ import annotations

import errno

from wirespeed.router.api.client import Client, refused_as
from wirespeed.router.api.registry import Answer, change
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.subinterfaces import add_loopback, add_subinterface, checked_vlan, delete
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import ANY_VLAN, InterfaceKind, SubInterface
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_NO_MAC = "00:00:00:00:00:00"


def _is_set(request: Values, flag: str) -> bool:
    return bool(request.sub_if_flags & TABLE.values[f"SUB_IF_API_FLAG_{flag}"])


@change("create_subif")
def create_subinterface(client: Client, request: Values) -> Answer:
    parent = client.index(request.sw_if_index)
    with refused_as(Retval.SUBIF_ALREADY_EXISTS, errno.EEXIST):
        return {"sw_if_index": shown_index(add_subinterface(client.console, parent, _sub(request)))}


def _sub(request: Values) -> SubInterface:
    ident, is_exact = request.sub_id, _is_set(request, "EXACT_MATCH")
    if _is_set(request, "DEFAULT"):
        return SubInterface(ident, 0, exact=False)
    if _is_set(request, "NO_TAGS"):
        return SubInterface(ident, 0, exact=True)
    if not (_is_set(request, "ONE_TAG") or _is_set(request, "TWO_TAGS")) or _is_set(request, "DOT1AH"):
        raise Refusal(Retval.INVALID_VALUE)
    any_outer, any_inner = _is_set(request, "OUTER_VLAN_ID_ANY"), _is_set(request, "INNER_VLAN_ID_ANY")
    outer = ANY_VLAN if any_outer else checked_vlan(request.outer_vlan_id)
    inner = 0
    if _is_set(request, "TWO_TAGS"):
        inner = ANY_VLAN if any_inner else checked_vlan(request.inner_vlan_id)
    return SubInterface(ident, outer, inner, _is_set(request, "DOT1AD"), is_exact)


@change("create_vlan_subif")
def create_vlan(client: Client, request: Values) -> Answer:
    parent = client.index(request.sw_if_index)
    vlan = checked_vlan(request.vlan_id)
    with refused_as(Retval.VLAN_ALREADY_EXISTS, errno.EEXIST):
        return {"sw_if_index": shown_index(add_subinterface(client.console, parent, SubInterface(vlan, vlan)))}


@change("delete_subif")
def delete_subinterface(client: Client, request: Values) -> Answer:
    _delete(client, request.sw_if_index, InterfaceKind.SUB, "a sub-interface")
    return None


@change("create_loopback")
@change("create_loopback_instance")
def create_loopback(client: Client, request: Values) -> Answer:
    instance = request.user_instance if request.get("is_specified") else None
    mac = None if request.mac_address == _NO_MAC else request.mac_address
    with refused_as(Retval.IF_ALREADY_EXISTS, errno.EEXIST):
        return {"sw_if_index": shown_index(add_loopback(client.console, instance, mac))}


@change("delete_loopback")
def delete_loopback(client: Client, request: Values) -> Answer:
    _delete(client, request.sw_if_index, InterfaceKind.LOOPBACK, "a loopback")
    return None


def _delete(client: Client, sw_if_index: int, kind: InterfaceKind, what: str) -> None:
    index, face = client.interface(sw_if_index)
    if face.kind is not kind:
        raise Refusal(Retval.INVALID_SW_IF_INDEX)
    delete(client.console, index, kind, what)
