"""Messages as bytes and back: whatever fits comes back, whatever does not is refused and nothing else."""

from __future__ import annotations

import struct
from ipaddress import IPv6Interface, ip_interface

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirespeed.vpp_api.codec import CodecError, MessageCoder, coder
from wirespeed.vpp_api.declarations import PRIMITIVES, Alias, Enumeration, Field, Record
from wirespeed.vpp_api.table import TABLE

_BITS = {"u8": 8, "u16": 16, "u32": 32, "u64": 64, "i8": 7, "i16": 15, "i32": 31, "i64": 63}
_TEXT = st.text(st.characters(codec="ascii", exclude_characters="\0"), max_size=10)
_MAC = st.binary(min_size=6, max_size=6).map(lambda octets: octets.hex(":"))
_PREFIXES = st.ip_addresses().flatmap(
    lambda address: st.integers(0, address.max_prefixlen).map(lambda length: ip_interface((address, length)))
)
_OWN = {
    "mac_address": _MAC,
    "ip4_address": st.ip_addresses(v=4),
    "ip6_address": st.ip_addresses(v=6),
    "address": st.ip_addresses(),
    "prefix": _PREFIXES,
    "ip4_prefix": _PREFIXES.filter(lambda prefix: prefix.version == 4),
    "ip6_prefix": _PREFIXES.filter(lambda prefix: prefix.version == 6),
    "address_union": st.binary(min_size=16, max_size=16),
}


def _of_type(name: str) -> st.SearchStrategy[object]:
    if name in _OWN:
        return _OWN[name]
    if name == "bool":
        return st.booleans()
    if name == "f64":
        return st.floats(allow_nan=False)
    if name in PRIMITIVES:
        return st.integers(0, 2 ** _BITS[name] - 1)
    declared = TABLE.types[name]
    if isinstance(declared, Enumeration):
        return _of_type(declared.type)
    if isinstance(declared, Alias):
        return _of_type(declared.type)
    assert isinstance(declared, Record)
    return _of_fields(declared.fields)


def _of_field(field: Field) -> st.SearchStrategy[object]:
    if field.type == "string":
        return _TEXT
    if field.count is None:
        return _of_type(field.type)
    if field.type == "u8" and field.counted_by is None:
        return st.binary(min_size=field.count, max_size=field.count)
    room = (0, 4) if field.counted_by else (field.count, field.count)
    return st.lists(_of_type(field.type), min_size=room[0], max_size=room[1])


def _of_fields(fields: tuple[Field, ...]) -> st.SearchStrategy[dict[str, object]]:
    counts = {field.counted_by: field.name for field in fields if field.counted_by}
    values = st.fixed_dictionaries({field.name: _of_field(field) for field in fields if field.name not in counts})
    return values.map(lambda made: made | {count: len(made[name]) for count, name in counts.items()})  # type: ignore[arg-type]


@given(st.data())
def test_what_is_packed_comes_back(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TABLE.messages)))
    values = data.draw(_of_fields(TABLE.messages[name].fields))
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
