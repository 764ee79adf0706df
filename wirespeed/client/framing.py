"""Encoding of a T-Rex RPC message: plain JSON, or zlib with an eight-byte head.

The head is the magic AB E8 5C EA and the uncompressed size, both 4 bytes big-endian. A server compresses its answer
exactly if the request was compressed. Neither form may exceed 999 999 bytes."""

from __future__ import annotations

import struct
import zlib

MAGIC = 0xABE85CEA
MAX_MESSAGE_BYTES = 999_999
_HEAD = struct.Struct(">II")


class FramingError(ValueError):
    """A message with an inconsistent header, size or zlib stream."""


def pack(payload: bytes) -> bytes:
    """Compress `payload` into a framed message."""
    return _HEAD.pack(MAGIC, len(payload)) + zlib.compress(payload)


def unpack(message: bytes) -> tuple[bytes, bool]:
    """The payload of a message, and whether it was compressed.

    FramingError if the message or its expanded payload is too long, or if the stream does not match the header.
    """
    if len(message) > MAX_MESSAGE_BYTES:
        raise FramingError(f"message of {len(message)} bytes; at most {MAX_MESSAGE_BYTES} are allowed")
    if len(message) < _HEAD.size or _HEAD.unpack_from(message)[0] != MAGIC:
        return message, False
    size = _HEAD.unpack_from(message)[1]
    if size > MAX_MESSAGE_BYTES:
        raise FramingError(f"message expands to {size} bytes; at most {MAX_MESSAGE_BYTES} are taken")
    stream = zlib.decompressobj()
    try:
        payload = stream.decompress(message[_HEAD.size :], size + 1)
    except zlib.error as error:
        raise FramingError(f"not a zlib stream: {error}") from None
    if len(payload) != size or not stream.eof:
        raise FramingError(f"header gives {size} bytes, the stream holds {len(payload)}")
    return payload, True
