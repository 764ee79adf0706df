"""Many routes into Linux's main table at once, as fast as the kernel takes them.

python kernel_routes.py add|del FILE LINK     each line of FILE: PREFIX NEXT-HOP
"""

from __future__ import annotations

import errno
import functools
import socket
import struct
import sys
from pathlib import Path

_NEW_ROUTE, _DELETE_ROUTE, _ERROR = 24, 25, 2
_REQUEST, _CREATE, _EXCLUSIVE = 1, 0x400, 0x200
_DESTINATION, _LINK, _GATEWAY = 1, 4, 5
_HEADER = struct.Struct("=IHHII")
_ROUTE = struct.Struct("=BBBBBBBBI")
_MAIN_TABLE, _STATIC, _UNIVERSE, _UNICAST = 254, 4, 0, 1
_PIECE_BYTES = 65_536


def _attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data


@functools.cache
def _path(next_hop: str, link: int) -> bytes:
    family = socket.AF_INET6 if ":" in next_hop else socket.AF_INET
    return _attribute(_GATEWAY, socket.inet_pton(family, next_hop)) + _attribute(_LINK, struct.pack("=I", link))


def _message(kind: int, prefix: str, next_hop: str, link: int) -> bytes:
    address, _, length = prefix.partition("/")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    flags = _REQUEST | (_CREATE | _EXCLUSIVE if kind == _NEW_ROUTE else 0)
    route = _ROUTE.pack(family, int(length), 0, 0, _MAIN_TABLE, _STATIC, _UNIVERSE, _UNICAST, 0)
    body = route + _attribute(_DESTINATION, socket.inet_pton(family, address)) + _path(next_hop, link)
    return _HEADER.pack(_HEADER.size + len(body), kind, flags, 0, 0) + body


def _send(connection: socket.socket, messages: bytes) -> None:
    """Returns once the kernel has executed the requests; it only answers those that it refuses."""
    connection.send(messages)
    try:
        answer = connection.recv(_PIECE_BYTES, socket.MSG_DONTWAIT)
    except BlockingIOError:
        return
    code = -struct.unpack_from("=i", answer, _HEADER.size)[0]
    raise OSError(code, f"a route is refused: {errno.errorcode.get(code)}")


def main(what: str, file: str, link_name: str) -> None:
    kind = {"add": _NEW_ROUTE, "del": _DELETE_ROUTE}[what]
    link = socket.if_nametoindex(link_name)
    lines = (line.split() for line in Path(file).read_text().splitlines())
    messages = [_message(kind, prefix, next_hop, link) for prefix, next_hop in lines]
    print("ready", flush=True)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as connection:
        connection.bind((0, 0))
        piece = bytearray()
        for message in messages:
            if len(piece) + len(message) > _PIECE_BYTES:
                _send(connection, bytes(piece))
                piece.clear()
            piece += message
        _send(connection, bytes(piece))


if __name__ == "__main__":
    main(*sys.argv[1:])
