"""Streams as the rows of C structs that the core takes.

A start may bring ten thousand streams, and setting the thirty fields of each by name would take most of a second. So a
row is packed in one call, by a layout that comes from the structs themselves.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
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
_STREAM_FIELDS = (
    "id packet packet_len enabled self_start start_paused mode rate_pps fixed_rate packets bursts burst_gap_us "
    "start_delay_us next_id loops ops op_count pinned cache random_seed is_null flow_kind flow_id flow_signature"
)
_OP_FIELDS = (
    "kind var var2 size big_endian var_kind min max init step min2 max2 unlimited limit seed list list_count has_next "
    "next_var offset add mask shift l2_len l3_len l4"
)


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
            row.pack_into(
                rows,
                at,
                sent.id,
                packet,
                len(sent.packet),
                sent.enabled,
                sent.self_start,
                sent.start_paused,
                sent.mode,
                sent.rate_pps,
                sent.fixed_rate,
                sent.packets,
                sent.bursts,
                sent.burst_gap_us,
                sent.start_delay_us,
                sent.next_id,
                sent.loops,
                self._program(sent.ops) if sent.ops else 0,
                len(sent.ops),
                sent.pinned,
                sent.cache,
                sent.random_seed,
                sent.is_null,
                sent.flow_kind,
                sent.flow_id,
                sent.flow_signature,
            )
            packet += len(sent.packet)
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
        return self._op.pack(
            op.kind,
            op.var,
            op.var2,
            op.size,
            op.big_endian,
            op.var_kind,
            op.min,
            op.max,
            op.init,
            op.step,
            op.min2,
            op.max2,
            op.unlimited,
            op.limit,
            op.seed,
            values,
            len(op.list),
            op.has_next,
            op.next_var,
            op.offset,
            op.add,
            op.mask,
            op.shift,
            op.l2_len,
            op.l3_len,
            op.l4,
        )


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
