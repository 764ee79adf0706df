"""memif_dump."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wirespeed.router.api.client import Client
from wirespeed.router.api.interfaces import status
from wirespeed.router.api.registry import Answer, handler
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_ROLES = {"server": TABLE.values["MEMIF_ROLE_API_MASTER"], "client": TABLE.values["MEMIF_ROLE_API_SLAVE"]}


@handler("memif_dump")
def dump(client: Client, request: Values) -> Answer:
    return _memifs(client)


def _memifs(client: Client) -> Iterator[dict[str, Any]]:
    """Those that were made at run time; those of the start are ports as others are."""
    for name, memif in list(client.console.memifs.by_name.items()):
        face, port = client.core.interface(memif.interface), client.core.port(memif.interface)
        yield {
            "sw_if_index": shown_index(memif.interface),
            "hw_addr": face.mac,
            "id": memif.id,
            "role": _ROLES[memif.spec.options["role"]],
            "socket_id": memif.socket,
            "ring_size": port.rx_descriptors,
            "buffer_size": client.core.pools()[0].buffer_size,
            "flags": status(face),
            "if_name": name,
        }
