"""lcp_itf_pair_add_del_v3, lcp_itf_pair_get …: interfaces that Linux has too."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_TAP = TABLE.values["LCP_API_ITF_HOST_TAP"]


@change("lcp_itf_pair_add_del")
@change("lcp_itf_pair_add_del_v2")
@change("lcp_itf_pair_add_del_v3")
def set_pair(client: Client, request: Values) -> Answer:
    index = client.index(request.sw_if_index)
    lcp = client.console.lcp
    if not request.is_add:
        if index not in lcp.pairs:
            raise Refusal(Retval.NO_SUCH_ENTRY)
        lcp.delete(index)
        return {"host_sw_if_index": ALL}
    if request.host_if_type != _TAP:
        raise Refusal(Retval.UNIMPLEMENTED)
    if index in lcp.pairs:
        raise Refusal(Retval.VALUE_EXIST)
    pair = lcp.create(index, request.host_if_name, request.netns or None)
    return {"vif_index": pair.link, "host_sw_if_index": shown_index(pair.tap)}


@handler("lcp_itf_pair_get")
def get(client: Client, request: Values) -> Answer:
    return _pairs(client, ALL, request.cursor)


@handler("lcp_itf_pair_get_v2")
def get_of(client: Client, request: Values) -> Answer:
    return _pairs(client, request.sw_if_index, request.cursor)


def _pairs(client: Client, sw_if_index: int, cursor: int) -> Generator[dict[str, Any], None, dict[str, Any]]:
    """From the cursor on all, in one part."""
    for number, pair in enumerate(list(client.console.lcp.pairs.values())):
        if number >= cursor and sw_if_index in (ALL, shown_index(pair.index)):
            yield {
                "phy_sw_if_index": shown_index(pair.index),
                "host_sw_if_index": shown_index(pair.tap),
                "vif_index": pair.link,
                "host_if_name": pair.host_if,
                "host_if_type": _TAP,
                "netns": pair.netns,
            }
    return {"cursor": ALL}


@handler("lcp_default_ns_get")
def get_namespace(client: Client, request: Values) -> Answer:
    return {"netns": client.console.lcp.default_netns}


@change("lcp_default_ns_set")
def set_namespace(client: Client, request: Values) -> Answer:
    client.console.lcp.default_netns = request.netns
    return None
