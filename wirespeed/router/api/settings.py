"""sw_interface_set_…: state, MTUs, MAC address, tables, unnumbered, promiscuous."""

from __future__ import annotations

import errno

from wirespeed.router.api.client import Client, refused_as
from wirespeed.router.api.registry import Answer, change
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.interfaces import checked_mtu, route_out, tag_interface
from wirespeed.seam.interfaces import InterfaceKind, MtuKind
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_ADMIN_UP = TABLE.values["IF_STATUS_API_FLAG_ADMIN_UP"]
_MTUS = (MtuKind.L3, MtuKind.IP4, MtuKind.IP6, MtuKind.MPLS)


@change("sw_interface_set_flags")
def set_flags(client: Client, request: Values) -> Answer:
    client.core.set_state(client.index(request.sw_if_index), bool(request.flags & _ADMIN_UP))
    return None


@change("sw_interface_set_mtu")
def set_mtu(client: Client, request: Values) -> Answer:
    """Set the MTU of all packets and of each protocol; 0 for a protocol means that of all packets."""
    index = client.index(request.sw_if_index)
    mtus = [checked_mtu(mtu) if mtu or kind is MtuKind.L3 else 0 for kind, mtu in zip(_MTUS, request.mtu, strict=True)]
    for kind, mtu in zip(_MTUS, mtus, strict=True):
        route_out(client.core, index, kind, mtu)
    return None


@change("sw_interface_tag_add_del")
def set_tag(client: Client, request: Values) -> Answer:
    index = client.index(request.sw_if_index)
    if request.is_add:
        tag_interface(client.console, index, request.tag)
    else:
        client.console.tags.pop(index, None)
    return None


@change("hw_interface_set_mtu")
def set_link_mtu(client: Client, request: Values) -> Answer:
    index, face = client.interface(request.sw_if_index)
    if face.kind not in (InterfaceKind.PORT, InterfaceKind.BOND):
        raise Refusal(Retval.INVALID_SW_IF_INDEX)
    client.core.set_mtu(index, checked_mtu(request.mtu))
    return None


@change("sw_interface_set_mac_address")
def set_mac(client: Client, request: Values) -> Answer:
    client.core.set_mac(client.index(request.sw_if_index), request.mac_address)
    return None


@change("sw_interface_set_promisc")
def set_promiscuous(client: Client, request: Values) -> Answer:
    client.core.set_promiscuous(client.index(request.sw_if_index), request.promisc_on)
    return None


@change("sw_interface_set_unnumbered")
def set_unnumbered(client: Client, request: Values) -> Answer:
    """`sw_if_index` lends its addresses."""
    borrower = client.index(request.unnumbered_sw_if_index, Retval.INVALID_SW_IF_INDEX_2)
    lender = client.index(request.sw_if_index) if request.is_add else None
    client.core.set_unnumbered(borrower, lender)
    return None


@change("sw_interface_set_table")
def set_table(client: Client, request: Values) -> Answer:
    with refused_as(Retval.NO_SUCH_FIB, errno.ENOENT):
        client.core.tables.set_interface(client.index(request.sw_if_index), 6 if request.is_ipv6 else 4, request.vrf_id)
    return None


@change("sw_interface_ip6_enable_disable")
def set_ip6(client: Client, request: Values) -> Answer:
    client.core.ip6.enable(client.index(request.sw_if_index), request.enable)
    return None
