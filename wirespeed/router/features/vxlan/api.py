"""vxlan_add_del_tunnel, vxlan_tunnel_dump."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wirespeed.errors import UsageError
from wirespeed.router.api.client import ALL, Client, refused_as
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.subinterfaces import delete
from wirespeed.router.features.vxlan.commands import VXLAN_PORT, add_vxlan, find_tunnel
from wirespeed.router.features.vxlan.core import Decap, VxlanTunnel
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import InterfaceKind
from wirespeed.vpp_api.codec import Values

_NEXT = {1: Decap.L2, 2: Decap.IP4, 3: Decap.IP6}
"""Edges of the nodes that take packets out of tunnels: VPP's first one, that of frames, and ours behind it."""


@change("vxlan_add_del_tunnel")
@change("vxlan_add_del_tunnel_v2")
@change("vxlan_add_del_tunnel_v3")
def set_tunnel(client: Client, request: Values) -> Answer:
    """Ports other than VXLAN's own are not had, nor tunnels that are not Ethernet interfaces."""
    ports = {request.get("src_port", 0), request.get("dst_port", 0)}
    if request.get("is_l3") or not ports <= {0, VXLAN_PORT}:
        raise Refusal(Retval.UNIMPLEMENTED)
    ends = request.src_address, request.dst_address
    tunnel = VxlanTunnel(0, *ends, request.vni, request.encap_vrf_id)
    if not request.is_add:
        return {"sw_if_index": _delete(client, tunnel)}
    tunnel = replace(tunnel, decap=_decap(request.decap_next_index))
    if tunnel.source == tunnel.destination:
        raise Refusal(Retval.SAME_SRC_DST)
    instance = None if request.instance == ALL else request.instance
    with refused_as(Retval.TUNNEL_EXIST, errno.EEXIST), refused_as(Retval.NO_SUCH_FIB, errno.ENOENT):
        return {"sw_if_index": shown_index(add_vxlan(client.console, tunnel, instance))}


def _decap(next_index: int) -> Decap:
    if next_index == ALL:
        return Decap.L2
    if next_index not in _NEXT:
        raise Refusal(Retval.INVALID_DECAP_NEXT)
    return _NEXT[next_index]


def _delete(client: Client, tunnel: VxlanTunnel) -> int:
    try:
        index = find_tunnel(client.console, tunnel)
    except UsageError:
        raise Refusal(Retval.NO_SUCH_ENTRY) from None
    delete(client.console, index, InterfaceKind.VXLAN, "a VXLAN tunnel")
    return shown_index(index)


@handler("vxlan_tunnel_dump")
@handler("vxlan_tunnel_v2_dump")
def dump(client: Client, request: Values) -> Answer:
    return _details(client, request.sw_if_index)


def _details(client: Client, sw_if_index: int) -> Iterator[dict[str, Any]]:
    for index, face in client.chosen(sw_if_index):
        if face.kind is not InterfaceKind.VXLAN:
            continue
        tunnel = client.core.vxlan.of(index)
        yield {
            "sw_if_index": shown_index(index),
            "instance": tunnel.instance,
            "src_address": tunnel.source,
            "dst_address": tunnel.destination,
            "src_port": VXLAN_PORT,
            "dst_port": VXLAN_PORT,
            "mcast_sw_if_index": ALL,
            "encap_vrf_id": tunnel.table,
            "decap_next_index": next(number for number, decap in _NEXT.items() if decap is tunnel.decap),
            "vni": tunnel.vni,
        }
