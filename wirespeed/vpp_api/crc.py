"""The CRC by which a client of VPP's API knows that it means the same message as the router.

CRC-32 over a message's fields as Python prints a list of them, gone on with over each type of VPP's own that a field
has, and the types in that, depth first. An alias counts as an empty list, whatever it stands for, and an enumeration's
later values do not count.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

from wirespeed.vpp_api.declarations import PRIMITIVES, Alias, ApiMessage, Declared, Enumeration, MessageField


def type_name(name: str) -> str:
    """A type's name in VPP's files: `u32`, but `vl_api_prefix_t`."""
    return name if name in PRIMITIVES else f"vl_api_{name}_t"


def message_crc(message: ApiMessage, types: Mapping[str, Declared]) -> int:
    return _folded(message.fields, types, zlib.crc32(_printed(message.fields)))


def _folded(fields: Iterable[MessageField], types: Mapping[str, Declared], crc: int) -> int:
    for name in (field.type for field in fields if field.type not in PRIMITIVES):
        declared = types[name]
        if isinstance(declared, Alias):
            crc = zlib.crc32(b"[]", crc)
        elif isinstance(declared, Enumeration):
            values = [list(value) for value in declared.values[: declared.first]]
            crc = zlib.crc32(str(values).encode(), crc)
        else:
            crc = _folded(declared.fields, types, zlib.crc32(_printed(declared.fields), crc))
    return crc


def _printed(fields: Iterable[MessageField]) -> bytes:
    return str([_entry(field) for field in fields]).encode()


def _entry(field: MessageField) -> list[str | int | None]:
    if field.count is None:
        return [type_name(field.type), field.name]
    return [type_name(field.type), field.name, field.count, field.counted_by]
