"""The sockets of netlink that samples and counters go to, as VPP's sflow plugin sends them."""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator

from wirespeed.router.features.sflow.messages import attribute, family_message

COUNTERS_GROUP = 29
"""Group of NETLINK_USERSOCK in which host-sflow listens for counters."""
_NETLINK_GENERIC, _NETLINK_USERSOCK = 16, 2
_CONTROLLER, _GET_FAMILY = 16, 3
_FAMILY_ID, _FAMILY_NAME, _GROUPS = 1, 2, 7
_GROUP_NAME, _GROUP_ID = 1, 2
_REQUEST = 1
_ERROR = 2
_HEADERS = 20
_MOST_GROUP = 32
_BUFFER_BYTES = 1 << 20


class MulticastGroup:
    """One group of a netlink protocol. `send` never waits; it tells whether the kernel took the message."""

    def __init__(self, made: socket.socket, group: int, family: int = 0) -> None:
        self._socket = made
        self.mask = 1 << (group - 1)
        self.family = family

    def send(self, message: bytes) -> bool:
        try:
            self._socket.sendto(message, (0, self.mask))
        except OSError as error:
            # Nobody listens: what the kernel says of its own end, whoever else has the message.
            return error.errno == errno.ECONNREFUSED
        return True

    def close(self) -> None:
        self._socket.close()


def _opened(protocol: int) -> socket.socket:
    made = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
    return made


def counters_group() -> MulticastGroup:
    return MulticastGroup(_opened(_NETLINK_USERSOCK), COUNTERS_GROUP)


def family_group(name: str = "psample", group: str = "packets") -> MulticastGroup:
    """The group of a family of generic netlink; OSError where this kernel has none of that name."""
    made = _opened(_NETLINK_GENERIC)
    try:
        made.setblocking(True)
        body = attribute(_FAMILY_NAME, name.encode() + b"\0")
        made.sendto(family_message(_CONTROLLER, _GET_FAMILY, 1, 1, body, _REQUEST), (0, 0))
        family, groups = _read_family(made.recv(1 << 16))
        made.setblocking(False)
        number = groups.get(group, 0)
        if not 0 < number <= _MOST_GROUP:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        return MulticastGroup(made, number, family)
    except OSError:
        made.close()
        raise


def _read_family(answer: bytes) -> tuple[int, dict[str, int]]:
    """Number of the family, and of its groups by their names."""
    (kind,) = struct.unpack_from("=H", answer, 4)
    if kind == _ERROR:
        (number,) = struct.unpack_from("=i", answer, 16)
        raise OSError(-number, os.strerror(-number))
    family, groups = 0, {}
    for attribute_kind, value in _attributes(answer[_HEADERS:]):
        if attribute_kind == _FAMILY_ID:
            (family,) = struct.unpack("=H", value)
        elif attribute_kind == _GROUPS:
            for _, group in _attributes(value):
                own = dict(_attributes(group))
                groups[own[_GROUP_NAME].rstrip(b"\0").decode()] = int.from_bytes(own[_GROUP_ID], "little")
    return family, groups


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if length < 4:
            return
        yield kind & 0x3FFF, data[4:length]
        data = data[(length + 3) & ~3 :]
