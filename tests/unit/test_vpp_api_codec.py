"""Messages to bytes and back: values that fit are restored, all others are refused."""

from __future__ import annotations

import struct
from ipaddress import IPv6Interface

import pytest
from api_values import fields_of
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.vpp_api.codec import CodecError, MessageCoder, coder
from wirespeed.vpp_api.table import TABLE


@given(st.data())
def test_what_is_packed_comes_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TABLE.messages)))
    values = data.draw(fields_of(TABLE.messages[name].fields))
    packed = coder(name).pack(values)
    assert struct.unpack_from(">H", packed)[0] == TABLE.numbers[name]
    assert coder(name).unpack(packed) == values
    with pytest.raises(CodecError):
        coder(name).pack({**values, TABLE.messages[name].fields[0].name: object()})


@given(st.sampled_from(sorted(TABLE.messages)), st.binary(max_size=200))
def test_bytes_are_a_message_or_refused(name: str, data: bytes) -> None:
    try:
        values = coder(name).unpack(struct.pack(">H", 1) + data)
    except CodecError as error:
        assert str(error).startswith(name)
    else:
        coder(name).pack(values)


def test_the_bytes_are_those_of_the_description() -> None:
    """Written by hand: head, fields in order, integers big endian, an f64 little endian, prefixes with their family."""
    prefix = IPv6Interface("2001:db8::1/64")
    values = {"client_index": 1, "context": 2, "sw_if_index": 3, "is_add": True, "del_all": False, "prefix": prefix}
    number = struct.pack(">H", TABLE.numbers["sw_interface_add_del_address"])
    expected = "00000001 00000002 00000003 01 00 01 20010db8000000000000000000000001 40"
    assert coder("sw_interface_add_del_address").pack(values) == number + bytes.fromhex(expected)
    aged = coder("ip_neighbor_details").pack({"age": 1.5})
    assert aged[6:14] == struct.pack("<d", 1.5)
    told = coder("cli_inband").pack({"cmd": "show"})
    assert told[10:] == b"\0\0\0\4show"


def test_a_count_that_the_bytes_do_not_have_costs_nothing() -> None:
    huge = struct.pack(">HIiI", TABLE.numbers["show_threads_reply"], 1, 0, 0xFFFFFFFF)
    with pytest.raises(CodecError, match="4294967295 do not fit"):
        coder("show_threads_reply").unpack(huge)


def test_every_message_has_a_coder() -> None:
    assert all(isinstance(coder(name), MessageCoder) for name in TABLE.messages)
