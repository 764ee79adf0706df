"""Packet files in memory: pcap and pcapng of Ethernet, in nanoseconds. Pure."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

_ETHERNET = 1
_SNAP_BYTES = 65535
_PCAP_NS = 0xA1B2_3C4D
_SECTION, _INTERFACE, _PACKET = 0x0A0D_0D0A, 1, 6
_BYTE_ORDER = 0x1A2B_3C4D
_RESOLUTION, _END = 9, 0
"""Options: of the clock, and that no more come."""

_NS = 1_000_000_000


@dataclass(frozen=True)
class Seen:
    """A packet without FCS, seen so many nanoseconds after 1970; `data` may be less than its `length`."""

    at_ns: int
    data: bytes
    length: int


def pcap(packets: Iterable[Seen]) -> bytes:
    file = bytearray(struct.pack("<IHHiIII", _PCAP_NS, 2, 4, 0, 0, _SNAP_BYTES, _ETHERNET))
    for one in packets:
        file += struct.pack("<IIII", one.at_ns // _NS, one.at_ns % _NS, len(one.data), one.length) + one.data
    return bytes(file)


def pcapng(packets: Iterable[Seen]) -> bytes:
    nanoseconds = struct.pack("<HHB3xHH", _RESOLUTION, 1, 9, _END, 0)
    file = bytearray(_block(_SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)))
    file += _block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, _SNAP_BYTES) + nanoseconds)
    for one in packets:
        head = struct.pack("<IIIII", 0, one.at_ns >> 32, one.at_ns & 0xFFFF_FFFF, len(one.data), one.length)
        file += _block(_PACKET, head + one.data)
    return bytes(file)


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length
