"""HDR histograms as text, for T-Rex's `hdrh`: HdrHistogram's compressed V2 encoding, base64.

Format: https://github.com/HdrHistogram/HdrHistogram, "encodeIntoCompressedByteBuffer"; counts are ZigZag LEB128
numbers; a negative number is a run of zeros.
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterator

from wirespeed._native.flow_records import HdrCounts

_COOKIE, _COMPRESSED_COOKIE = 0x1C849303 | 0x10, 0x1C849304 | 0x10
_HEADER = struct.Struct(">IIIIQQd")
_LEVEL = 1
"""Level of compression: higher ones gain little, and each latency group is compressed."""


def encode(counts: HdrCounts, lowest: int, highest: int, digits: int) -> bytes:
    """The histogram of these bounds and this precision with these counts."""
    payload = b"".join(_numbers(counts))
    header = _HEADER.pack(_COOKIE, len(payload), 0, digits, lowest, highest, 1.0)
    packed = zlib.compress(header + payload, _LEVEL)
    return base64.b64encode(struct.pack(">II", _COMPRESSED_COOKIE, len(packed)) + packed)


def value_at(index: int, half_bits: int) -> int:
    """The lowest value of a count, with buckets of 2 to the power of `half_bits` stored counts."""
    bucket = max(0, (index >> half_bits) - 1)
    return (index - (bucket << half_bits)) << bucket


def index_of(value: int, half_bits: int) -> int:
    """Index of the count for a value."""
    bucket = max(0, value.bit_length() - half_bits - 1)
    return (bucket << half_bits) + (value >> bucket)


def rescaled(counts: HdrCounts, divisor: int, half_bits: int, length: int) -> HdrCounts:
    """The histogram of the values divided and rounded, with `length` counts."""
    scaled: dict[int, int] = {}
    for index, count in counts:
        value = (value_at(index, half_bits) + divisor // 2) // divisor
        at = min(length - 1, index_of(value, half_bits))
        scaled[at] = scaled.get(at, 0) + count
    return tuple(scaled.items())


def _numbers(counts: HdrCounts) -> Iterator[bytes]:
    next_index = 0
    for index, count in counts:
        if index > next_index:
            yield _zigzag(next_index - index)
        yield _zigzag(count)
        next_index = index + 1


def _zigzag(value: int) -> bytes:
    """LEB128, of which a ninth byte has eight bits."""
    rest = (value << 1) ^ (value >> 63)
    encoded = bytearray()
    while rest > 0x7F and len(encoded) < 8:
        encoded.append(rest & 0x7F | 0x80)
        rest >>= 7
    encoded.append(rest)
    return bytes(encoded)
