"""memif_create, memif_delete, memif_dump, and the sockets that memif interfaces meet at."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wirespeed.router.api.client import ALL, Client
from wirespeed.router.api.interfaces import status
from wirespeed.router.api.registry import Answer, change, handler
from wirespeed.router.api.retvals import Refusal, Retval
from wirespeed.router.commands.memif import add_memif, remove_memif, socket_path
from wirespeed.router.interface_numbers import shown_index
from wirespeed.vpp_api.codec import Values
from wirespeed.vpp_api.table import TABLE

_SERVER, _CLIENT = TABLE.values["MEMIF_ROLE_API_MASTER"], TABLE.values["MEMIF_ROLE_API_SLAVE"]
_ETHERNET = TABLE.values["MEMIF_MODE_API_ETHERNET"]
_RING = 1024
_NO_MAC = "00:00:00:00:00:00"


@change("memif_socket_filename_add_del")
@change("memif_socket_filename_add_del_v2")
def set_socket(client: Client, request: Values) -> Answer:
    memifs, ident = client.console.memifs, request.socket_id
    path = socket_path(Path("/"), request.socket_filename)
    if ident == ALL and request.is_add:
        ident = memifs.free_socket()
    if ident in (0, ALL):
        raise Refusal(Retval.INVALID_ARGUMENT)
    if not request.is_add:
        memifs.delete_socket(ident)
        return {"socket_id": ident}
    if memifs.sockets.get(ident, path) != path:
        raise Refusal(Retval.ENTRY_ALREADY_EXISTS)
    memifs.set_socket(ident, path)
    return {"socket_id": ident}


@handler("memif_socket_filename_dump")
def dump_sockets(client: Client, request: Values) -> Answer:
    memifs = client.console.memifs
    memifs.path(0)
    return ({"socket_id": ident, "socket_filename": str(path)} for ident, path in sorted(memifs.sockets.items()))


@change("memif_create")
@change("memif_create_v2")
def create(client: Client, request: Values) -> Answer:
    """Buffers are those of the router's pool; zero copy and DMA are wishes, which may stay unfulfilled."""
    memifs = client.console.memifs
    if request.mode != _ETHERNET or request.buffer_size > client.core.pools()[0].buffer_size:
        raise Refusal(Retval.UNIMPLEMENTED)
    if any(memif.socket == request.socket_id and memif.id == request.id for memif in memifs.all.values()):
        raise Refusal(Retval.SUBIF_ALREADY_EXISTS)
    options = [f"role={'server' if request.role == _SERVER else 'client'}"]
    queues = {"rxq": request.rx_queues, "txq": request.tx_queues}
    options += [f"{key}={count}" for key, count in queues.items() if count]
    if request.hw_addr != _NO_MAC:
        options.append(f"mac={request.hw_addr}")
    if "," in request.secret:
        raise Refusal(Retval.INVALID_ARGUMENT)
    if request.secret:
        options.append(f"secret={request.secret}")
    index = add_memif(client.console, request.socket_id, request.id, request.ring_size or _RING, options)
    return {"sw_if_index": shown_index(index)}


@change("memif_delete")
def delete(client: Client, request: Values) -> Answer:
    """Interfaces of the start stay."""
    index, face = client.interface(request.sw_if_index)
    if face.name not in client.console.memifs.by_name:
        raise Refusal(Retval.INVALID_SW_IF_INDEX)
    remove_memif(client.console, index)
    return None


@handler("memif_dump")
def dump(client: Client, request: Values) -> Answer:
    return _memifs(client)


def _memifs(client: Client) -> Iterator[dict[str, Any]]:
    for name, memif in list(client.console.memifs.all.items()):
        face, port = client.core.interface(memif.interface), client.core.port(memif.interface)
        yield {
            "sw_if_index": shown_index(memif.interface),
            "hw_addr": face.mac,
            "id": memif.id,
            "role": _SERVER if memif.is_server else _CLIENT,
            "zero_copy": memif.spec.options.get("zero-copy") == "yes",
            "socket_id": memif.socket,
            "ring_size": port.rx_descriptors,
            "buffer_size": client.core.pools()[0].buffer_size,
            "flags": status(face),
            "if_name": name,
        }
