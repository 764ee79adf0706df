"""Streams as the rows of C structs that the core takes.

A start may bring ten thousand streams, and setting the thirty fields of each by name would take most of a second. So a
row is packed in one call, by a layout that comes from the structs themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from wirespeed._native.runtime import core
from wirespeed._native.stream_records import Op, Stream

_CODES = {
    "_Bool": "?",
    "uint8_t": "B",
    "uint16_t": "H",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "uint64_t": "Q",
    "double": "d",
}
_SENDING = (
    "enabled self_start start_paused mode rate_pps fixed_rate packets bursts burst_gap_us start_delay_us next_id loops"
)
_MARKS = "pinned cache random_seed is_null flow_kind flow_id flow_signature"
_STREAM_FIELDS = f"id packet packet_len {_SENDING} ops op_count {_MARKS}"
_VALUES = "kind var var2 size big_endian var_kind min max init step min2 max2 unlimited limit seed"
_WRITES = "has_next next_var offset add mask shift l2_len l3_len l4"
_OP_FIELDS = f"{_VALUES} list list_count {_WRITES}"
_sending, _marks, _values, _writes = (attrgetter(*names.split()) for names in (_SENDING, _MARKS, _VALUES, _WRITES))


class StreamRows:
    """`structs` is an array of `struct ws_stream`, valid as long as this lives."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._ffi = core().ffi
        self._alive: list[Any] = []
        self._programs: dict[int, int] = {}
        self._op = _layout("struct ws_op", _OP_FIELDS)
        row = _layout("struct ws_stream", _STREAM_FIELDS)
        rows = bytearray(row.size * len(streams))
        packet = self._address(b"".join(stream.packet for stream in streams))
        for at, sent in zip(range(0, len(rows), row.size), streams, strict=True):
            length, ops = len(sent.packet), self._program(sent.ops) if sent.ops else 0
            row.pack_into(rows, at, sent.id, packet, length, *_sending(sent), ops, len(sent.ops), *_marks(sent))
            packet += length
        self.structs = self._ffi.cast("struct ws_stream *", self._address(rows))

    def _address(self, data: bytes | bytearray) -> int:
        """Address of the bytes, valid as long as this object lives."""
        view = self._ffi.from_buffer(data)
        self._alive.append(view)
        return int(self._ffi.cast("uintptr_t", view))

    def _program(self, ops: tuple[Op, ...]) -> int:
        """Address of the instructions; streams that share a program share its rows."""
        found = self._programs.get(id(ops))
        if found is None:
            found = self._programs[id(ops)] = self._address(b"".join(self._packed(op) for op in ops))
        return found

    def _packed(self, op: Op) -> bytes:
        values = self._address(struct.pack(f"={len(op.list)}Q", *op.list)) if op.list else 0
        return self._op.pack(*_values(op), values, len(op.list), *_writes(op))


def _layout(name: str, fields: str) -> struct.Struct:
    """The C struct `name`, whose members are `fields` in this order; pointers are addresses."""
    ffi = core().ffi
    kind = ffi.typeof(name)
    if [field for field, _ in kind.fields] != fields.split():
        raise AssertionError(f"{name} of the native core has other members than wirespeed packs; build it again")
    code, at = "=", 0
    for _, field in kind.fields:
        code += "x" * (field.offset - at) + ("Q" if field.type.kind == "pointer" else _CODES[field.type.cname])
        at = field.offset + ffi.sizeof(field.type)
    return struct.Struct(code + "x" * (ffi.sizeof(kind) - at))
