"""sw_interface_add_del_address, ip_dump, ip_address_dump, ip_unnumbered_dump: addresses of interfaces."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from itertools import chain
from typing import Any

from wirespeed.router.api.client import ALL, Client, refused_as
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Retval
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values


@change("sw_interface_add_del_address")
def set_address(client: Client, request: Values) -> Answer:
    index, face = client.interface(request.sw_if_index)
    if request.del_all:
        for address in face.addresses:
            client.core.delete_address(index, address)
    elif request.is_add:
        client.core.add_address(index, request.prefix)
    else:
        with refused_as(Retval.ADDRESS_NOT_IN_USE, errno.ENOENT):
            client.core.delete_address(index, request.prefix)
    return None


@handler("ip_address_dump")
def dump(client: Client, request: Values) -> Answer:
    return _addresses(client, request)


def _addresses(client: Client, request: Values) -> Iterator[dict[str, Any]]:
    version = 6 if request.is_ipv6 else 4
    for index, face in client.chosen(request.sw_if_index):
        for address in face.addresses:
            if address.version == version:
                yield {"sw_if_index": shown_index(index), "prefix": address}


@handler("ip_dump")
def dump_interfaces(client: Client, request: Values) -> Answer:
    """Interfaces with IP of their own, all but unnumbered ones, whichever family is asked for."""
    own = (shown_index(index) for index, face in client.chosen(ALL) if face.unnumbered_of is None)
    return ({"sw_if_index": index, "is_ipv6": request.is_ipv6} for index in chain((0,), own))


@handler("ip_unnumbered_dump")
def dump_unnumbered(client: Client, request: Values) -> Answer:
    return (
        {"sw_if_index": shown_index(index), "ip_sw_if_index": shown_index(face.unnumbered_of)}
        for index, face in client.chosen(request.sw_if_index)
        if face.unnumbered_of is not None
    )
