"""Messages of VPP's API as bytes and back.

Integers are big endian, an f64 is little endian. In Python a message or type is `Values`, or any mapping of names when
it is packed: what is left out is its default, or zero. `u8` by the number are bytes, MAC addresses text, addresses and
prefixes those of `ipaddress`; a prefix is an interface's address, host bits and all. Enumerations are numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from wirespeed.vpp_api.declarations import Alias, ApiMessage, Enumeration, MessageField, Record
from wirespeed.vpp_api.table import TABLE
from wirespeed.vpp_api.values import ADAPTERS, Adapter

NUMBER = struct.Struct(">H")
_LENGTH = struct.Struct(">I")
_LETTERS = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "bool": "?"}
_F64 = struct.Struct("<d")


class CodecError(ValueError):
    """Bytes that are not such a message, or a value that does not fit its field."""


class Values(dict[str, Any]):
    """The fields of a message or a type, by their names, as keys and as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class _Flat:
    """Something of fixed length: `code` for struct, which has `count` values of it; `put` appends those of a value,
    `take` makes the value of those from a place on."""

    code: str
    count: int
    put: Callable[[Any, list[Any]], None]
    take: Callable[[Sequence[Any], int], Any]
    zero: Callable[[], Any]


@dataclass(frozen=True)
class _Loose:
    """Something as long as its value; `take` returns the value and where it ends."""

    put: Callable[[Any, Mapping[str, Any], bytearray], None]
    take: Callable[[bytes, int, dict[str, Any]], tuple[Any, int]]
    zero: Callable[[], Any]


@cache
def coder(name: str) -> MessageCoder:
    """The coder of the message of that name; KeyError if there is none."""
    return MessageCoder(TABLE.messages[name])


class MessageCoder:
    """Packs and unpacks one kind of message."""

    def __init__(self, message: ApiMessage) -> None:
        self.message = message
        self._number = NUMBER.pack(TABLE.numbers[message.name])
        self._body = _members(message.fields)

    def pack(self, values: Mapping[str, Any]) -> bytes:
        """The whole message, its number first. CodecError names the field that a value does not fit."""
        out = bytearray(self._number)
        try:
            self._body.put(values, values, out)
        except (struct.error, ValueError, TypeError, AttributeError) as error:
            raise CodecError(f"{self.message.name}: {error}") from None
        return bytes(out)

    def unpack(self, data: bytes) -> Values:
        """Values of a whole message; bytes beyond its end are ignored."""
        try:
            return self._body.take(data, NUMBER.size, {})[0]  # type: ignore[no-any-return]
        except (struct.error, ValueError) as error:
            raise CodecError(f"{self.message.name}: {error}") from None


def _members(fields: Sequence[MessageField]) -> _Loose:
    """Fields one after the other; those of fixed length that follow one another are packed at once."""
    coders = [(field, _of_field(field)) for field in fields]
    steps: list[tuple[list[MessageField], _Loose | _Block]] = []
    for is_flat, group in groupby(coders, lambda pair: isinstance(pair[1], _Flat)):
        members = list(group)
        if is_flat:
            steps.append(
                ([field for field, _ in members], _Block([(f, c) for f, c in members if isinstance(c, _Flat)]))
            )
        else:
            steps += [([field], made) for field, made in members if isinstance(made, _Loose)]
    counts = {field.counted_by: field.name for field in fields if field.counted_by}

    def put(value: Mapping[str, Any], _: Mapping[str, Any], out: bytearray) -> None:
        if counts:
            # How many there are is counted, whatever the value says.
            value = {**value, **{count: len(value.get(name) or ()) for count, name in counts.items()}}
        for members, step in steps:
            if isinstance(step, _Block):
                step.put(value, out)
            else:
                given = value.get(members[0].name)
                step.put(step.zero() if given is None else given, value, out)

    def take(data: bytes, at: int, _: dict[str, Any]) -> tuple[Values, int]:
        values: dict[str, Any] = {}
        for members, step in steps:
            if isinstance(step, _Block):
                at = step.take(data, at, values)
            else:
                values[members[0].name], at = step.take(data, at, values)
        return Values(values), at

    return _Loose(put, take, dict)


class _Block:
    """Fields of fixed length, as one struct."""

    def __init__(self, members: Sequence[tuple[MessageField, _Flat]]) -> None:
        self._struct = struct.Struct(">" + "".join(made.code for _, made in members))
        self._members = [(field.name, made, field.default) for field, made in members]

    def put(self, value: Mapping[str, Any], out: bytearray) -> None:
        flat: list[Any] = []
        for name, made, default in self._members:
            given = value.get(name)
            if given is None:
                given = made.zero() if default is None else default
            made.put(given, flat)
        out += self._struct.pack(*flat)

    def take(self, data: bytes, at: int, values: dict[str, Any]) -> int:
        flat = self._struct.unpack_from(data, at)
        place = 0
        for name, made, _ in self._members:
            values[name] = made.take(flat, place)
            place += made.count
        return at + self._struct.size


def _of_field(field: MessageField) -> _Flat | _Loose:
    if field.type == "string":
        return _text(field.count) if field.count else _LOOSE_TEXT
    if field.counted_by is not None:
        return _counted(field)
    return _of_type(field.type) if field.count is None else _repeated(field.type, field.count)


def _of_type(name: str) -> _Flat | _Loose:
    if name in ADAPTERS:
        return _adapted(ADAPTERS[name])
    if name == "f64":
        return _adapted(Adapter("8s", 0.0, _F64.pack, lambda raw: _F64.unpack(raw)[0]))
    if name in _LETTERS:
        return _Flat(_LETTERS[name], 1, _append, _get, bool if name == "bool" else int)
    declared = TABLE.types[name]
    if isinstance(declared, Enumeration):
        return _of_type(declared.type)
    if isinstance(declared, Alias):
        return _of_type(declared.type) if declared.count is None else _repeated(declared.type, declared.count)
    return _record(declared)


def _record(declared: Record) -> _Flat | _Loose:
    members = [(field.name, _of_field(field)) for field in declared.fields]
    flat = [(name, made) for name, made in members if isinstance(made, _Flat)]
    if declared.is_union:
        # A union is as long as its longest member; another field selects the member.
        return _octets(max(struct.calcsize(">" + made.code) for _, made in flat))
    if len(flat) < len(members):
        return _members(declared.fields)

    def put(value: Mapping[str, Any], out: list[Any]) -> None:
        for name, made in flat:
            given = value.get(name)
            made.put(made.zero() if given is None else given, out)

    def take(values: Sequence[Any], at: int) -> Values:
        block = {}
        for name, made in flat:
            block[name] = made.take(values, at)
            at += made.count
        return Values(block)

    code = "".join(made.code for _, made in flat)
    return _Flat(code, sum(made.count for _, made in flat), put, take, dict)


def _repeated(name: str, count: int) -> _Flat | _Loose:
    if name == "u8":
        return _octets(count)
    made = _of_type(name)
    assert isinstance(made, _Flat), f"{count} of {name}, which is not of fixed length"

    def put(value: Sequence[Any], out: list[Any]) -> None:
        if len(value) > count:
            raise ValueError(f"there is room for {count}, not {len(value)}")
        for one in value:
            made.put(one, out)
        for _ in range(count - len(value)):
            made.put(made.zero(), out)

    def take(values: Sequence[Any], at: int) -> list[Any]:
        return [made.take(values, at + index * made.count) for index in range(count)]

    return _Flat(made.code * count, made.count * count, put, take, list)


def _counted(field: MessageField) -> _Loose:
    count_name = field.counted_by
    assert count_name is not None
    made = _of_type(field.type)
    block = struct.Struct(">" + made.code) if isinstance(made, _Flat) else None

    def put(value: Sequence[Any], around: Mapping[str, Any], out: bytearray) -> None:
        for item in value:
            if block is not None and isinstance(made, _Flat):
                flat: list[Any] = []
                made.put(item, flat)
                out += block.pack(*flat)
            elif isinstance(made, _Loose):
                made.put(item, around, out)

    def take(data: bytes, at: int, found: dict[str, Any]) -> tuple[list[Any], int]:
        count = found[count_name]
        if block is not None and isinstance(made, _Flat):
            end = at + count * block.size
            if end > len(data):
                raise ValueError(f"{field.name}: {count} do not fit in {len(data)} bytes")
            return [made.take(flat, 0) for flat in block.iter_unpack(data[at:end])], end
        values = []
        for _ in range(count):
            value, at = made.take(data, at, {})  # type: ignore[call-arg]
            values.append(value)
        return values, at

    return _Loose(put, take, list)


def _adapted(adapter: Adapter) -> _Flat:
    count = len(struct.unpack(">" + adapter.code, bytes(struct.calcsize(">" + adapter.code))))
    if count == 1:
        return _Flat(
            adapter.code,
            1,
            lambda value, out: out.append(adapter.pack(value)),
            lambda values, at: adapter.unpack(values[at]),
            lambda: adapter.zero,
        )
    return _Flat(
        adapter.code,
        count,
        lambda value, out: out.extend(adapter.pack(value)),
        lambda values, at: adapter.unpack(*values[at : at + count]),
        lambda: adapter.zero,
    )


def _append(value: Any, out: list[Any]) -> None:
    out.append(value)


def _get(values: Sequence[Any], at: int) -> Any:
    return values[at]


def _octets(count: int) -> _Flat:
    return _Flat(f"{count}s", 1, _append, _get, bytes)


def _text(room: int) -> _Flat:
    """Padded with zeros, one at least."""

    def put(value: str, out: list[Any]) -> None:
        out.append(value.encode()[: room - 1])

    def take(values: Sequence[Any], at: int) -> str:
        return str(values[at].partition(b"\0")[0].decode(errors="replace"))

    return _Flat(f"{room}s", 1, put, take, str)


def _put_text(value: str, _: Mapping[str, Any], out: bytearray) -> None:
    data = value.encode()
    out += _LENGTH.pack(len(data)) + data


def _take_text(data: bytes, at: int, _: dict[str, Any]) -> tuple[str, int]:
    (length,) = _LENGTH.unpack_from(data, at)
    at += _LENGTH.size
    if at + length > len(data):
        raise ValueError(f"a text of {length} bytes does not fit in {len(data)}")
    return data[at : at + length].rstrip(b"\0").decode(errors="replace"), at + length


_LOOSE_TEXT = _Loose(_put_text, _take_text, str)


def number_of(data: bytes) -> int:
    """The number of a message; CodecError when there is none."""
    if len(data) < NUMBER.size:
        raise CodecError("a message begins with two bytes that say which it is")
    return int(NUMBER.unpack_from(data)[0])
