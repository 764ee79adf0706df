"""Values of VPP's messages for property tests: anything that the fields can hold."""

from __future__ import annotations

from ipaddress import ip_interface

from hypothesis import strategies as st

from wirespeed.vpp_api.declarations import PRIMITIVES, Alias, Enumeration, MessageField, Record
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
        most = 2 ** _BITS[name] - 1
        # Small numbers refer to existing objects.
        return st.integers(0, min(most, 40)) | st.integers(0, most) | st.just(most)
    declared = TABLE.types[name]
    if isinstance(declared, Enumeration):
        return _of_type(declared.type)
    if isinstance(declared, Alias):
        return _of_type(declared.type)
    assert isinstance(declared, Record)
    return fields_of(declared.fields)


def _of_field(field: MessageField) -> st.SearchStrategy[object]:
    if field.type == "string":
        return _TEXT
    if field.count is None:
        return _of_type(field.type)
    if field.type == "u8" and field.counted_by is None:
        return st.binary(min_size=field.count, max_size=field.count)
    room = (0, 4) if field.counted_by else (field.count, field.count)
    return st.lists(_of_type(field.type), min_size=room[0], max_size=room[1])


def fields_of(fields: tuple[MessageField, ...]) -> st.SearchStrategy[dict[str, object]]:
    """Fields of a message or a type; counts of following elements are right."""
    counts = {field.counted_by: field.name for field in fields if field.counted_by}
    values = st.fixed_dictionaries({field.name: _of_field(field) for field in fields if field.name not in counts})
    return values.map(lambda made: made | {count: len(made[name]) for count, name in counts.items()})  # type: ignore[arg-type]
