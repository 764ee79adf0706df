"""Packet files in memory: pcap and pcapng of Ethernet frames with their FCS, in nanoseconds. Pure.

pcapng files say that there is an FCS. pcap files could say so beside their link type, but then scapy and dpkt would not
know it any more.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

from wirespeed.units import FCS_BYTES

_ETHERNET = 1
_SNAP_BYTES = 65535
_PCAP_NS = 0xA1B2_3C4D
_SECTION, _INTERFACE, _PACKET = 0x0A0D_0D0A, 1, 6
_BYTE_ORDER = 0x1A2B_3C4D
_RESOLUTION, _FCS, _END = 9, 13, 0
"""Options: of the clock, of the FCS, and that no more come."""

_NS = 1_000_000_000


@dataclass(frozen=True)
class PcapFrame:
    """A frame with its FCS, seen so many nanoseconds after 1970; `data` may be less than its `length`."""

    at_ns: int
    data: bytes
    length: int


def seen(at_ns: int, packet: bytes, length: int, most_bytes: int | None = None) -> PcapFrame:
    """The frame of a packet of `length` bytes, which is without FCS as ports receive it: a frame with a wrong one does
    not get so far. Of frames longer than `most_bytes` the rest is cut off."""
    if len(packet) == length:
        packet += zlib.crc32(packet).to_bytes(FCS_BYTES, "little")
    return PcapFrame(at_ns, packet[:most_bytes], length + FCS_BYTES)


def pcap(packets: Iterable[PcapFrame]) -> bytes:
    file = bytearray(struct.pack("<IHHiIII", _PCAP_NS, 2, 4, 0, 0, _SNAP_BYTES, _ETHERNET))
    for one in packets:
        file += struct.pack("<IIII", one.at_ns // _NS, one.at_ns % _NS, len(one.data), one.length) + one.data
    return bytes(file)


def pcapng(packets: Iterable[PcapFrame]) -> bytes:
    options = struct.pack("<HHB3xHHB3xHH", _RESOLUTION, 1, 9, _FCS, 1, FCS_BYTES, _END, 0)
    file = bytearray(_block(_SECTION, struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)))
    file += _block(_INTERFACE, struct.pack("<HHI", _ETHERNET, 0, _SNAP_BYTES) + options)
    for one in packets:
        head = struct.pack("<IIIII", 0, one.at_ns >> 32, one.at_ns & 0xFFFF_FFFF, len(one.data), one.length)
        file += _block(_PACKET, head + one.data)
    return bytes(file)


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length
