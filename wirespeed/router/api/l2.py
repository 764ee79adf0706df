"""sw_interface_set_l2_xconnect, sw_interface_set_l2_bridge, l2_interface_vlan_tag_rewrite, l2_xconnect_dump."""

from __future__ import annotations

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.api.tag_rewrites import rewrite_of
from wirespeed.router.commands.l2 import checked_domain, connect
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.interfaces import Mode
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_BVI = TABLE.values["L2_API_PORT_TYPE_BVI"]
_UNKNOWN_FLOOD = TABLE.values["L2_API_PORT_TYPE_UU_FWD"]


@change("sw_interface_set_l2_xconnect")
def set_xconnect(client: Client, request: Values) -> Answer:
    """One direction."""
    receiving = client.index(request.rx_sw_if_index)
    if request.enable:
        connect(client.core, receiving, client.index(request.tx_sw_if_index, Retval.INVALID_SW_IF_INDEX_2))
    else:
        client.core.set_l3(receiving)
    return None


@change("sw_interface_set_l2_bridge")
def set_bridge(client: Client, request: Values) -> Answer:
    index = client.index(request.rx_sw_if_index)
    if not request.enable:
        client.core.set_l3(index)
    elif request.port_type == _UNKNOWN_FLOOD:
        raise Refusal(Retval.UNIMPLEMENTED)
    else:
        client.core.set_bridge(index, checked_domain(request.bd_id), request.port_type == _BVI, request.shg)
    return None


@change("l2_interface_vlan_tag_rewrite")
def set_tag_rewrite(client: Client, request: Values) -> Answer:
    client.core.set_tag_rewrite(client.index(request.sw_if_index), rewrite_of(request))
    return None


@handler("l2_xconnect_dump")
def dump(client: Client, request: Values) -> Answer:
    return (
        {"rx_sw_if_index": shown_index(index), "tx_sw_if_index": shown_index(face.xconnect_to)}
        for index, face in client.chosen(ALL)
        if face.mode is Mode.XCONNECT
    )
