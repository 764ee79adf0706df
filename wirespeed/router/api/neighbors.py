"""ip_neighbor_add_del, ip_neighbor_dump."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.interface_numbers import shown_index
from wirespeed.seam.routes import NeighborState
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_IS_STATIC = TABLE.values["IP_API_NEIGHBOR_FLAG_STATIC"]
_IP6 = TABLE.values["ADDRESS_IP6"]
_TURN = 256


@change("ip_neighbor_add_del")
def set_neighbor(client: Client, request: Values) -> Answer:
    neighbor = request.neighbor
    index = client.index(neighbor.sw_if_index)
    if request.is_add:
        client.core.add_neighbor(index, neighbor.ip_address, neighbor.mac_address)
    else:
        client.core.delete_neighbor(index, neighbor.ip_address)
    return {"stats_index": ALL}


@handler("ip_neighbor_dump")
def dump(client: Client, request: Values) -> Answer:
    return _neighbors(client, request)


def _neighbors(client: Client, request: Values) -> Iterator[dict[str, Any] | None]:
    """Neighbours that have answered, or are static."""
    version = 6 if request.af == _IP6 else 4
    for number, neighbor in enumerate(client.core.neighbors(), 1):
        if number % _TURN == 0:
            yield None
        shown = shown_index(neighbor.interface)
        if neighbor.address.version != version or request.sw_if_index not in (ALL, shown):
            continue
        if neighbor.state is NeighborState.INCOMPLETE:
            continue
        yield {
            "age": neighbor.age_s,
            "neighbor": {
                "sw_if_index": shown,
                "flags": _IS_STATIC if neighbor.state is NeighborState.STATIC else 0,
                "mac_address": neighbor.mac,
                "ip_address": neighbor.address,
            },
        }
