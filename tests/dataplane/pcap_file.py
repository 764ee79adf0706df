"""Classic pcap files, read without the cost of scapy's dissection."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

HEADER_BYTES, RECORD_BYTES = 24, 16


def frames(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    at = HEADER_BYTES
    while at < len(data):
        (length,) = struct.unpack_from("<8xI", data, at)
        yield data[at + RECORD_BYTES : at + RECORD_BYTES + length]
        at += RECORD_BYTES + length
