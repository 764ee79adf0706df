"""Cross-connects, tag rewrites, bridge domains and their stations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.api.tag_rewrites import rewrite_of
from wirespeed.router.features.l2.commands import checked_domain, connect, delete_domain, domain_of
from wirespeed.router.features.l2.core import BridgeDomain
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import Mode
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_BVI = TABLE.values["L2_API_PORT_TYPE_BVI"]
_UNKNOWN_FLOOD = TABLE.values["L2_API_PORT_TYPE_UU_FWD"]
_FLAGS = {
    "learn": TABLE.values["BRIDGE_API_FLAG_LEARN"],
    "forward": TABLE.values["BRIDGE_API_FLAG_FWD"],
    "flood": TABLE.values["BRIDGE_API_FLAG_FLOOD"],
    "uu_flood": TABLE.values["BRIDGE_API_FLAG_UU_FLOOD"],
}
_TURN = 256


@change("sw_interface_set_l2_xconnect")
def set_xconnect(client: Client, request: Values) -> Answer:
    """One direction."""
    receiving = client.index(request.rx_sw_if_index)
    if request.enable:
        connect(client.core, receiving, client.index(request.tx_sw_if_index, Retval.INVALID_SW_IF_INDEX_2))
    else:
        client.core.l2.set_l3(receiving)
    return None


@change("sw_interface_set_l2_bridge")
def set_bridge(client: Client, request: Values) -> Answer:
    index = client.index(request.rx_sw_if_index)
    if not request.enable:
        client.core.l2.set_l3(index)
    elif request.port_type == _UNKNOWN_FLOOD:
        raise Refusal(Retval.UNIMPLEMENTED)
    else:
        client.core.l2.set_bridge(index, checked_domain(request.bd_id), request.port_type == _BVI, request.shg)
    return None


@change("l2_interface_vlan_tag_rewrite")
def set_tag_rewrite(client: Client, request: Values) -> Answer:
    client.core.l2.set_tag_rewrite(client.index(request.sw_if_index), rewrite_of(request))
    return None


@handler("l2_xconnect_dump")
def dump_xconnects(client: Client, request: Values) -> Answer:
    return (
        {"rx_sw_if_index": shown_index(index), "tx_sw_if_index": shown_index(face.xconnect_to)}
        for index, face in client.chosen(ALL)
        if face.mode is Mode.XCONNECT
    )


@change("bridge_domain_add_del")
@change("bridge_domain_add_del_v2")
def set_domain(client: Client, request: Values) -> Answer:
    present = {domain.id: domain for domain in client.core.l2.domains()}
    ident = request.bd_id
    if not request.is_add:
        _delete(client, ident, present)
        return {"bd_id": ident}
    if ident == ALL:
        ident = next(number for number in range(1, len(present) + 2) if number not in present)
    if ident in present:
        raise Refusal(Retval.BD_ALREADY_EXISTS)
    if request.arp_term or request.arp_ufwd:
        raise Refusal(Retval.UNIMPLEMENTED)
    flags = {name: bool(request[name]) for name in _FLAGS}
    client.core.l2.set_domain(BridgeDomain(checked_domain(ident), age_min=request.mac_age, **flags))
    if request.bd_tag:
        client.console.l2.tags[ident] = request.bd_tag
    return {"bd_id": ident}


def _delete(client: Client, ident: int, present: dict[int, BridgeDomain]) -> None:
    if ident not in present:
        raise Refusal(Retval.NO_SUCH_ENTRY)
    if any(face.bridge_domain == ident for _, face in client.chosen(ALL)):
        raise Refusal(Retval.BD_IN_USE)
    delete_domain(client.console, ident)


@change("bridge_flags")
def set_flags(client: Client, request: Values) -> Answer:
    domain = _domain(client, request.bd_id)
    if request.flags & ~sum(_FLAGS.values()):
        raise Refusal(Retval.UNIMPLEMENTED)
    changed = {name: bool(request.is_set) for name, flag in _FLAGS.items() if request.flags & flag}
    domain = replace(domain, **changed)
    client.core.l2.set_domain(domain)
    return {"resulting_feature_bitmap": sum(flag for name, flag in _FLAGS.items() if getattr(domain, name))}


@change("bridge_domain_set_mac_age")
def set_age(client: Client, request: Values) -> Answer:
    client.core.l2.set_domain(replace(_domain(client, request.bd_id), age_min=request.mac_age))
    return None


def _domain(client: Client, ident: int) -> BridgeDomain:
    try:
        return domain_of(client.console, ident)
    except UsageError:
        raise Refusal(Retval.NO_SUCH_ENTRY) from None


@handler("bridge_domain_dump")
def dump_domains(client: Client, request: Values) -> Answer:
    return _domains(client, request)


def _domains(client: Client, request: Values) -> Iterator[dict[str, Any] | None]:
    members: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for number, (index, face) in enumerate(client.chosen(ALL), 1):
        if number % _TURN == 0:
            yield None
        if face.bridge_domain:
            row = {"sw_if_index": shown_index(index), "shg": face.split_horizon_group}
            members[face.bridge_domain].append(row)
    for domain in client.core.l2.domains():
        rows = members[domain.id]
        is_among = request.sw_if_index in (ALL, *(row["sw_if_index"] for row in rows))
        if request.bd_id in (ALL, domain.id) and is_among:
            yield {
                "bd_id": domain.id,
                **{name: getattr(domain, name) for name in _FLAGS},
                "mac_age": domain.age_min,
                "bd_tag": client.console.l2.tags.get(domain.id, ""),
                "bvi_sw_if_index": ALL if domain.bvi is None else shown_index(domain.bvi),
                "uu_fwd_sw_if_index": ALL,
                "sw_if_details": rows,
            }


@handler("l2_fib_table_dump")
def dump_stations(client: Client, request: Values) -> Answer:
    return _stations(client, request.bd_id)


def _stations(client: Client, ident: int) -> Iterator[dict[str, Any] | None]:
    bvis = {domain.id: domain.bvi for domain in client.core.l2.domains()}
    for number, entry in enumerate(client.core.l2.stations(), 1):
        if number % _TURN == 0:
            yield None
        if ident in (ALL, entry.domain):
            yield {
                "bd_id": entry.domain,
                "mac": entry.mac,
                "sw_if_index": ALL if entry.interface is None else shown_index(entry.interface),
                "static_mac": entry.is_static,
                "filter_mac": entry.interface is None,
                "bvi_mac": entry.interface is not None and bvis.get(entry.domain) == entry.interface,
            }
