"""ERF packet files, as Endace's cards write them: Ethernet records, each with the interface that it came in on.

A record: time (64 bits, little endian, in units of 2^-32 s), type, flags (the lowest two bits are the interface),
length of the record, loss counter and length on the wire with FCS (16 bits each, big endian). Then extension headers of
eight bytes while the highest bit says so, two bytes of padding, the frame, and what fills the record up.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.files import open_regular
from wirespeed.units import FCS_BYTES

_HEADER = struct.Struct("<QBB")
_LENGTHS = struct.Struct(">HHH")
_HEADER_BYTES = _HEADER.size + _LENGTHS.size
_EXTENSION_BYTES, _PADDING_BYTES = 8, 2
_ETHERNET, _MORE, _INTERFACE = 2, 0x80, 0x03


def read_records(path: Path) -> Iterator[tuple[float, bytes, int]]:
    """Times in seconds, frames without FCS, and interfaces; FileFault for an invalid file, with the reason."""
    at = 0
    with open_regular(path, "packet file") as file:
        while header := file.read(_HEADER_BYTES):
            if len(header) < _HEADER_BYTES:
                raise FileFault(f"packet file {path} ends within a record's header, at byte {at}")
            time, kind, flags = _HEADER.unpack_from(header)
            record_bytes, _, wire_bytes = _LENGTHS.unpack_from(header, _HEADER.size)
            record = header + file.read(max(0, record_bytes - _HEADER_BYTES))
            if len(record) != record_bytes:
                raise FileFault(
                    f"packet file {path}: the record at byte {at} has an invalid length: {record_bytes} bytes"
                )
            if kind & ~_MORE != _ETHERNET:
                raise FileFault(
                    f"packet file {path}: the record at byte {at} is of type {kind & ~_MORE}, not Ethernet (2)"
                )
            frame = _frame(record, bool(kind & _MORE))[: max(0, wire_bytes - FCS_BYTES)]
            if len(frame) < wire_bytes - FCS_BYTES:
                raise FileFault(f"packet file {path} holds packets cut short; record them whole")
            yield time / (1 << 32), frame, flags & _INTERFACE
            at += record_bytes


def _frame(record: bytes, extended: bool) -> bytes:
    at = _HEADER_BYTES
    while extended and at < len(record):
        extended = bool(record[at] & _MORE)
        at += _EXTENSION_BYTES
    return record[at + _PADDING_BYTES :]
