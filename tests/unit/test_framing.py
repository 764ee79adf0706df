import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.client.framing import MAGIC, MAX_MESSAGE_BYTES, FramingError, pack, unpack


@given(st.binary(max_size=5000))
def test_what_is_packed_unpacks(payload):
    assert unpack(pack(payload)) == (payload, True)


@given(st.binary(max_size=200))
def test_any_bytes_are_taken_or_refused(message):
    try:
        payload, compressed = unpack(message)
    except FramingError:
        return
    assert compressed or payload == message


def test_head_is_the_recorded_one():
    assert pack(b"{}")[:8] == bytes.fromhex("abe85cea") + struct.pack(">I", 2)


def test_a_head_that_lies_about_the_size():
    with pytest.raises(FramingError, match="header gives 5 bytes"):
        unpack(struct.pack(">II", MAGIC, 5) + zlib.compress(b"four"))


def test_a_bomb_is_not_expanded():
    with pytest.raises(FramingError, match="at most"):
        unpack(struct.pack(">II", MAGIC, MAX_MESSAGE_BYTES + 1) + zlib.compress(bytes(MAX_MESSAGE_BYTES + 1)))
    with pytest.raises(FramingError):
        unpack(struct.pack(">II", MAGIC, 10) + zlib.compress(bytes(5_000_000)))


def test_broken_stream():
    with pytest.raises(FramingError, match="not a zlib stream"):
        unpack(struct.pack(">II", MAGIC, 4) + b"garbage")
