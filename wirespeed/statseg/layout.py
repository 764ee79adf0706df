"""VPP's layout of a statistics segment, version 2: bytes to entries, every length and address checked.

A vector is known by the address of its first element in the memory of who wrote it; its length is a u32 eight bytes
before that. The header's `base` turns addresses into offsets.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from enum import IntEnum
from struct import Struct, error
from typing import TypeAlias

from wirespeed.errors import WirespeedError

VERSION = 2
HEADER = Struct("<5Q")
_ENTRY = Struct("<I4xQ128s")
_LINK = Struct("<II")
_WORD = Struct("<Q")
_LENGTH = Struct("<I")
_MOST_ROWS = 1024
"""Upper limit of the number of threads; an entry with more is damaged."""

Memory: TypeAlias = mmap.mmap | bytes


class Damage(WirespeedError):
    """Something in the segment leads out of it: it is being changed, or no segment at all."""


class Type(IntEnum):
    """Type of an entry; other types are ignored."""

    SCALAR = 1
    SIMPLE = 2
    COMBINED = 3
    NAMES = 4
    EMPTY = 5
    SYMLINK = 6
    HISTOGRAM = 7
    GAUGE = 9


_TYPES = {int(known): known for known in Type}
_WORDS = {Type.SIMPLE: 1, Type.COMBINED: 2, Type.HISTOGRAM: 1}


@dataclass(frozen=True)
class SegmentHeader:
    version: int
    base: int
    epoch: int
    in_progress: int
    directory: int


@dataclass(frozen=True)
class DirectoryEntry:
    """One name: `value` is a number, an address, or an entry and an index in it; `at` where the value itself stands."""

    name: str
    type: Type
    value: int
    at: int


@dataclass(frozen=True)
class VectorRow:
    """`count` elements from `offset` on, each of one or two words."""

    offset: int
    count: int


@dataclass(frozen=True)
class StatsEntry:
    """A name and the place of its values: one row per thread, the main thread first, or a single row. Names are
    resolved at once, since they change only with the directory."""

    name: str
    type: Type
    words: int
    rows: tuple[VectorRow, ...]
    texts: tuple[str, ...] = ()


def read_header(memory: Memory) -> SegmentHeader:
    return SegmentHeader(*HEADER.unpack_from(memory))


def read_directory(memory: Memory, header: SegmentHeader) -> tuple[DirectoryEntry, ...]:
    """All entries by their numbers, those without a meaning too, since others lead to them by number."""
    vector = _vector(memory, header.base, header.directory, _ENTRY.size)
    content = memory[vector.offset : vector.offset + vector.count * _ENTRY.size]
    return tuple(
        DirectoryEntry(
            name.partition(b"\0")[0].decode(errors="replace"),
            _TYPES.get(number, Type.EMPTY),
            value,
            vector.offset + index * _ENTRY.size + 8,
        )
        for index, (number, value, name) in enumerate(_ENTRY.iter_unpack(content))
    )


def resolve(
    memory: Memory, header: SegmentHeader, directory: tuple[DirectoryEntry, ...], entry: DirectoryEntry
) -> StatsEntry:
    """Place of the words of `entry`. Damage if they are outside."""
    match entry.type:
        case Type.SCALAR | Type.GAUGE:
            return StatsEntry(entry.name, entry.type, 1, (VectorRow(entry.at, 1),))
        case Type.NAMES:
            return StatsEntry(entry.name, entry.type, 1, (), _texts(memory, header.base, entry.value))
        case Type.SYMLINK:
            return _resolve_link(memory, header, directory, entry)
        case _:
            words = _WORDS[entry.type]
            return StatsEntry(entry.name, entry.type, words, _rows(memory, header.base, entry.value, words))


def _resolve_link(
    memory: Memory, header: SegmentHeader, directory: tuple[DirectoryEntry, ...], link: DirectoryEntry
) -> StatsEntry:
    number, index = _LINK.unpack(_WORD.pack(link.value))
    if number >= len(directory) or (target := directory[number]).type not in (Type.SIMPLE, Type.COMBINED):
        raise Damage(f"{link.name} leads to entry {number}, which is not a vector of counters")
    words = _WORDS[target.type]
    rows = _rows(memory, header.base, target.value, words)
    if any(index >= row.count for row in rows):
        raise Damage(f"{link.name} leads to element {index}, which {target.name} has not")
    return StatsEntry(
        link.name, target.type, words, tuple(VectorRow(row.offset + index * words * 8, 1) for row in rows)
    )


def _rows(memory: Memory, base: int, address: int, words: int) -> tuple[VectorRow, ...]:
    if not address:
        return ()
    rows = _vector(memory, base, address, _WORD.size)
    if rows.count > _MOST_ROWS:
        raise Damage(f"a vector of {rows.count} threads")
    addresses = (row for (row,) in _WORD.iter_unpack(memory[rows.offset : rows.offset + rows.count * 8]))
    return tuple(_vector(memory, base, row, words * 8) if row else VectorRow(0, 0) for row in addresses)


def _texts(memory: Memory, base: int, address: int) -> tuple[str, ...]:
    if not address:
        return ()
    vector = _vector(memory, base, address, _WORD.size)
    pointers = _WORD.iter_unpack(memory[vector.offset : vector.offset + vector.count * 8])
    return tuple(_text(memory, base, pointer) for (pointer,) in pointers)


def _text(memory: Memory, base: int, address: int) -> str:
    """Empty if there is none."""
    if not address:
        return ""
    text = _vector(memory, base, address, 1)
    if text.count > 1024:
        raise Damage(f"a name of {text.count} bytes")
    return memory[text.offset : text.offset + text.count].partition(b"\0")[0].decode(errors="replace")


def _vector(memory: Memory, base: int, address: int, element_bytes: int) -> VectorRow:
    offset = address - base
    if not 8 <= offset <= len(memory):
        raise Damage(f"address {address:#x} lies outside")
    try:
        (count,) = _LENGTH.unpack_from(memory, offset - 8)
    except error:
        raise Damage(f"address {address:#x} lies outside") from None
    if offset + count * element_bytes > len(memory):
        raise Damage(f"a vector of {count} elements at {address:#x} ends outside")
    return VectorRow(offset, count)
