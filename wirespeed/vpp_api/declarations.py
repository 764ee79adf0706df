"""The messages of VPP's API as `modules/*.txt` declares them: one entry each, in a short form of VPP's own language.

    module interface 3.2.3 [plugin]
    import interface_types ip_types
    enum if_type (u32): IF_API_TYPE_HARDWARE=0, IF_API_TYPE_SUB=1 | IF_API_TYPE_LATER=2
    enumflag NAME (u32): …              bits that may be set together
    type prefix: address address; u8 len
    union address_union: ip4_address ip4; ip6_address ip6
    alias mac_address = u8[6]
    sw_interface_dump (cx) interface_index sw_if_index=0xffffffff; string name_filter[] -> stream sw_interface_details

The letters in brackets are the message's first fields behind its number: c client_index, x context. `string x[64]` is
padded with zeros, `string x[]` as long as it is, `u32 x[n]` as many as the field `n` before it says; `=` is what
clients send for a field that is not given. Behind `->` stands what answers: a reply, `stream` and what it is a stream
of, both, or `null`; a reply that is declared nowhere holds a context and a `retval`. Values behind the `|` of an
enumeration came later and leave the CRCs of messages as they were. Indented lines go on with the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

PRIMITIVES = frozenset(("u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f64", "bool", "string"))
_HEADS = {"c": "client_index", "x": "context"}
_FIELD = re.compile(r"(\w+) (\w+)(?:\[(\w*)\])?(?:=(\w+))?")
_MESSAGE = re.compile(r"(\w+) \((c?x?)\)(?: ([^-]*?))?(?: -> (?P<answers>.*))?")
_ANSWERS = re.compile(r"(?P<reply>\w+(?<!stream))?(?: ?stream (?P<stream>\w+))?(?: events (?P<event>\w+))?")


@dataclass(frozen=True)
class MessageField:
    """`count` is how many there are: None for one that stands alone; for strings the bytes, 0: as long as it is.
    `counted_by` names the field that says how many."""

    type: str
    name: str
    count: int | None = None
    counted_by: str | None = None
    default: int | None = None


@dataclass(frozen=True)
class Record:
    """A type, or a union of its fields."""

    name: str
    fields: tuple[MessageField, ...]
    is_union: bool = False


@dataclass(frozen=True)
class Enumeration:
    """`first` is how many of the values its CRC is made of."""

    name: str
    type: str
    values: tuple[tuple[str, int], ...]
    first: int
    is_flags: bool


@dataclass(frozen=True)
class Alias:
    """Another name for `count` of a type, or for one where that is None."""

    name: str
    type: str
    count: int | None = None


Declared = Record | Enumeration | Alias


@dataclass(frozen=True)
class ApiMessage:
    """`fields` begin behind the message's number. `reply` and `stream` name what answers a request; `event` what comes
    by itself after one."""

    name: str
    fields: tuple[MessageField, ...]
    module: str
    reply: str | None = None
    stream: str | None = None
    event: str | None = None


@dataclass(frozen=True)
class ApiModule:
    """The declarations of one file, in its order."""

    name: str
    version: str
    kind: Literal["core", "plugins"]
    imports: tuple[str, ...]
    types: Mapping[str, Declared]
    messages: Mapping[str, ApiMessage]


class DeclarationError(ValueError):
    """A line of a module is not of the form above."""


@dataclass
class _Reading:
    name: str = ""
    version: str = "1.0.0"
    is_plugin: bool = False
    imports: tuple[str, ...] = ()
    types: dict[str, Declared] = field(default_factory=dict)
    messages: dict[str, ApiMessage] = field(default_factory=dict)


def read_module(text: str) -> ApiModule:
    """The module that a file declares; DeclarationError names the line that is wrong."""
    reading = _Reading()
    for line in _entries(text):
        try:
            _read(line, reading)
        except (AttributeError, ValueError) as error:
            raise DeclarationError(f"no declaration: {line}") from error
    for message in list(reading.messages.values()):
        if message.reply is not None and message.reply not in (*reading.messages, "null"):
            fields = (MessageField("u32", "context"), MessageField("i32", "retval"))
            reading.messages[message.reply] = ApiMessage(message.reply, fields, reading.name)
    kind: Literal["core", "plugins"] = "plugins" if reading.is_plugin else "core"
    return ApiModule(reading.name, reading.version, kind, reading.imports, reading.types, reading.messages)


def _entries(text: str) -> Iterator[str]:
    entry = ""
    for line in text.splitlines():
        if line.startswith(" "):
            entry += " " + line.strip()
            continue
        if entry and not entry.startswith("#"):
            yield entry
        entry = line.strip()
    if entry and not entry.startswith("#"):
        yield entry


def _read(line: str, reading: _Reading) -> None:
    word, _, rest = line.partition(" ")
    match word:
        case "module":
            reading.name, *others = rest.split()
            reading.version, reading.is_plugin = (others or ["1.0.0"])[0], "plugin" in others
        case "import":
            reading.imports = tuple(rest.split())
        case "enum" | "enumflag":
            head, _, values = rest.partition(": ")
            name, kind = head.split()
            first, _, later = values.partition(" | ")
            pairs = tuple(_value(pair) for pair in (*first.split(", "), *later.split(", ")) if pair)
            reading.types[name] = Enumeration(name, kind.strip("()"), pairs, first.count("=") or 0, word == "enumflag")
        case "type" | "union":
            name, _, fields = rest.partition(": ")
            reading.types[name] = Record(name, _fields(fields), word == "union")
        case "alias":
            name, _, aliased = rest.partition(" = ")
            of, _, count = aliased.rstrip("]").partition("[")
            reading.types[name] = Alias(name, of, int(count) if count else None)
        case _:
            made = _message(line, reading.name)
            reading.messages[made.name] = made


def _value(pair: str) -> tuple[str, int]:
    name, _, number = pair.strip().partition("=")
    return name, int(number, 0)


def _fields(text: str) -> tuple[MessageField, ...]:
    return tuple(_field(part.strip()) for part in text.split(";") if part.strip())


def _field(text: str) -> MessageField:
    match = _FIELD.fullmatch(text)
    if match is None:
        raise ValueError(text)
    kind, name, count, default = match.groups()
    value = None if default is None else int(default, 0)
    if count is None or count.isdigit():
        return MessageField(kind, name, None if count is None else int(count), default=value)
    return MessageField(kind, name, 0, count or None, value)


def _message(line: str, module: str) -> ApiMessage:
    match = _MESSAGE.fullmatch(line)
    if match is None:
        raise ValueError(line)
    heads = tuple(MessageField("u32", _HEADS[letter]) for letter in match[2])
    answers = _ANSWERS.fullmatch(match["answers"] or "")
    if answers is None:
        raise ValueError(line)
    fields = heads + _fields(match[3] or "")
    return ApiMessage(match[1], fields, module, answers["reply"], answers["stream"], answers["event"])
