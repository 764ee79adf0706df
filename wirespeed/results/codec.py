"""Dataclasses as JSON documents and back, by the types of their fields.

A field is stored under its name, or as Annotated with `Stored` defines. `also_stored` of a class adds derived values
for readers of the file: a document's key, and the attribute with the value. Reading ignores unknown keys, uses the
default of a missing field, and raises Misfit, with the place, for a value of the wrong type. Numbers are finite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import cache
from operator import attrgetter
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from wirespeed.errors import UsageError
from wirespeed.results.channel import Channel, parse_channel

LARGEST = 1e18  # a 64-bit counter that ran for a century at 1 Tb/s stays below

T = TypeVar("T")
_NUMBER = (int, float)
_SCALAR = (str, int, float)


@dataclass(frozen=True)
class Stored:
    """Place of a field in a document: its `key`, where a dot separates nested objects, and the `former` key of older
    files. A `sparse` field is omitted if it has its default. The keys of an `inline` field are keys of the document.
    `write` and `read` convert the value. Fields that are not `is_kept` are not stored. `shape` is the type in the
    document, for docs/result-format.md, if it is not the field's.

    An `original` field has the whole document if the other fields do not write it again to the letter: unknown keys,
    the order and the spelling are written as they were read. If it is lenient, fields keep their defaults in place of
    values that do not fit."""

    key: str = ""
    sparse: bool = False
    inline: bool = False
    is_kept: bool = True
    original: Literal["", "strict", "lenient"] = ""
    write: Callable[[Any], Any] | None = None
    read: Callable[[Any], Any] | None = None
    shape: Any = None
    former: str = ""


SPARSE = Stored(sparse=True)


def with_former(kind: Any, words: Mapping[str, str], former: str = "") -> Stored:
    """A field of type `kind` whose values are other words in older files: `words` maps those to the present ones."""
    return Stored(former=former, read=lambda raw: reader_of(kind)(words.get(raw, raw) if isinstance(raw, str) else raw))


INLINE = Stored(inline=True)
NOT_KEPT = Stored(is_kept=False)
ORIGINAL, LENIENT_ORIGINAL = Stored(original="strict"), Stored(original="lenient")


class Item(str):
    """The place of a value among others: `Item(3)` in `workers` is told as `worker 3`."""


class Misfit(ValueError):
    """A value that is not what its place asks for. `places` go from the inside out."""

    def __init__(self, words: str, *places: str) -> None:
        super().__init__(words)
        self.places = list(places)

    def __str__(self) -> str:
        return f"{' of '.join(self.places)} {self.args[0]}".lstrip()


def to_json(value: Any) -> Any:
    """The document of a dataclass, or of anything that its fields may hold."""
    if value is None or isinstance(value, _SCALAR):
        return value
    if isinstance(value, Mapping):
        return {str(key): to_json(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(one) for one in value]
    if not is_dataclass(value) or isinstance(value, Channel):
        return str(value)
    return _written(value)


def from_json(kind: type[T], raw: Any, where: str = "") -> T:
    """The value of a document; Misfit names its error, and `where` it is."""
    read: Callable[[Any], T] = reader_of(_hashable(kind))
    return placed(where, read, raw) if where else read(raw)


def placed(place: str, read: Callable[[Any], Any], raw: Any) -> Any:
    """The value that `read` returns for `raw`. A Misfit gets `place` as one more place."""
    try:
        return read(raw)
    except Misfit as fault:
        raise _inside(fault, place) from None


def _inside(fault: Misfit, place: str) -> Misfit:
    """The fault, with one more place."""
    if fault.places and isinstance(item := fault.places[-1], Item):
        fault.places[-1] = f"{place.removesuffix('s')} {item}"
    else:
        fault.places.append(place)
    return fault


def _hashable(kind: type) -> Any:
    """The class itself, as a type that caches accept: type checkers do not regard classes of dataclasses as
    hashable."""
    return kind


@dataclass(frozen=True)
class _Member:
    """One field in documents. `default` is MISSING where a document has to have it."""

    name: str
    stored: Stored
    path: tuple[str, ...]
    read: Callable[[Any], Any]
    default: Any
    keys: frozenset[str] = frozenset()

    @property
    def is_simple(self) -> bool:
        """True if the field is stored under a single key."""
        return len(self.path) == 1 and not self.stored.inline

    def is_read_from(self, raw: Any, value: Any) -> bool:
        """True if reading `raw` gives `value`."""
        try:
            return bool(self.read(raw) == value)
        except Misfit:
            return bool(value == self.default)

    def of(self, raw: dict[str, Any]) -> Any:
        """Its value in a document; MISSING for the default."""
        if self.stored.inline:
            return self.read(raw) if self.default is MISSING or not self.keys.isdisjoint(raw) else MISSING
        *outer, key = self.path
        for part in outer:
            raw = placed(part, as_object, raw.get(part, {}))
        if key in raw:
            return placed(".".join(self.path), self.read, raw[key])
        if self.default is MISSING:
            raise Misfit("is missing", ".".join(self.path))
        return MISSING


@cache
def members_of(kind: type) -> tuple[_Member, ...]:
    """The fields of a dataclass."""
    return tuple(_members(kind))


def _members(kind: type) -> Iterator[_Member]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        marks = [mark for mark in getattr(hints[field.name], "__metadata__", ()) if isinstance(mark, Stored)]
        stored = next((mark for mark in reversed(marks)), Stored())
        if not stored.is_kept:
            continue
        default = field.default if field.default_factory is MISSING else field.default_factory()
        path = tuple((stored.key or field.name).split("."))
        read = stored.read or reader_of(hints[field.name])
        keys: frozenset[str] = frozenset()
        if stored.inline:
            plain = _without_none(get_args(hints[field.name])[0])
            keys = frozenset(key for inner in members_of(plain) for key in (inner.path[0], inner.stored.former) if key)
        yield _Member(field.name, stored, path, read, default, keys)


def _written(value: Any) -> dict[str, Any]:
    out: dict[str, Any] = {}
    original: dict[str, Any] = {}
    members = members_of(_hashable(type(value)))
    for member in members:
        content = getattr(value, member.name)
        if member.stored.original:
            original = content
        if member.stored.original or (member.stored.sparse and content == member.default):
            continue
        document = to_json(content) if member.stored.write is None else member.stored.write(content)
        if member.stored.inline:
            out |= document or {}
            continue
        inner, (*outer, key) = out, member.path
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[key] = document
    for key, attribute in getattr(value, "also_stored", {}).items():
        if (content := attrgetter(attribute)(value)) is not None:
            out[key] = to_json(content)
    return _in_words_of(original, members, value, out) if original else out


def _in_words_of(
    original: Mapping[str, Any], members: tuple[_Member, ...], value: Any, written: Mapping[str, Any]
) -> dict[str, Any]:
    """`written`, the document of `value`, in the order and with the spelling of the one that it was read from."""
    known = {one.path[0]: one for one in members}
    out = {}
    for key, raw in original.items():
        if key not in known or known[key].is_read_from(raw, getattr(value, known[key].name)):
            out[key] = raw
        elif key in written:
            out[key] = written[key]
    return out | {key: one for key, one in written.items() if key not in out}


@cache
def reader_of(hint: Any) -> Callable[[Any], Any]:
    """The function that reads values of a type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        marks = [mark.read for mark in args[1:] if isinstance(mark, Stored) and mark.read is not None]
        return marks[0] if marks else reader_of(args[0])
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in (Union, UnionType):
        inner = reader_of(_without_none(hint))
        return lambda raw: None if raw is None else inner(raw)
    if origin is Literal:
        return lambda raw: _one_of(args, raw)
    if origin is tuple:
        return _row_of(args) if args[-1] is not ... else _list_of(reader_of(args[0]))
    if origin is not None:
        return _mapping_of(reader_of(args[1]), _KEYS.get(args[0]) or reader_of(args[0]))
    if issubclass(hint, StrEnum):
        return lambda raw: hint(_one_of(tuple(hint), raw))
    return _dataclass_of(hint)


def _without_none(hint: Any) -> Any:
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(hint) else hint


def _dataclass_of(kind: type) -> Callable[[Any], Any]:
    members = members_of(kind)
    if (original := next((one for one in members if one.stored.original), None)) is not None:
        return _open(kind, original, [one for one in members if one is not original])
    former = [(one.name, one.stored.former, one.read) for one in members if one.stored.former]
    simple = former + [(one.name, one.path[0], one.read) for one in members if one.is_simple]
    others = [one for one in members if not one.is_simple]
    needed = [one for one in members if one.is_simple and one.default is MISSING]

    def read(raw: Any) -> Any:
        raw, values, key = as_object(raw), {}, ""
        try:
            for name, key, read_one in simple:
                if key in raw:
                    values[name] = read_one(raw[key])
        except Misfit as fault:
            raise _inside(fault, key) from None
        for member in needed:
            if member.name not in values:
                raise Misfit("is missing", member.path[0])
        for member in others:
            if (value := member.of(raw)) is not MISSING:
                values[member.name] = value
        return kind(**values)

    return read


def _is_same(written: Any, raw: Any) -> bool:
    """True if both documents are the same text."""
    if isinstance(written, dict):
        is_alike = isinstance(raw, dict) and list(written) == list(raw)
        return is_alike and all(_is_same(one, raw[key]) for key, one in written.items())
    if isinstance(written, list):
        is_alike = isinstance(raw, list) and len(written) == len(raw)
        return is_alike and all(map(_is_same, written, raw))
    return type(written) is type(raw) and bool(written == raw)


@cache
def _former_keys(hint: Any) -> Mapping[str, str]:
    """The present names of former keys, in documents of a type and of the types within it."""
    is_dataclass_type = isinstance(hint, type) and is_dataclass(hint)
    parts = get_type_hints(hint, include_extras=True).values() if is_dataclass_type else get_args(hint)
    names = (
        {one.stored.former: one.path[0] for one in members_of(hint) if one.stored.former} if is_dataclass_type else {}
    )
    return names | {old: new for part in parts for old, new in _former_keys(part).items()}


def _with_present_keys(raw: Any, names: Mapping[str, str], depth: int = 3) -> Any:
    """A document with the present names of its keys; `depth` is that of the types, foreign documents may be deeper."""
    if not names or not isinstance(raw, dict) or depth == 0:
        return raw
    return {names.get(key, key): _with_present_keys(value, names, depth - 1) for key, value in raw.items()}


def _open(kind: type, original: _Member, members: list[_Member]) -> Callable[[Any], Any]:
    """Reads a dataclass with an `original` field; its other fields are simple and have defaults. The original has
    former keys under their present names."""
    names = _former_keys(kind)

    def read(raw: Any) -> Any:
        raw, values = _with_present_keys(as_object(raw), names), {}
        for one in members:
            try:
                if (value := one.of(raw)) is not MISSING:
                    values[one.name] = value
            except Misfit:
                if original.stored.original == "strict":
                    raise
        is_whole = _is_same(_written(kind(**values)), raw)
        return kind(**values, **({} if is_whole else {original.name: raw}))

    return read


def _list_of(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def read_all(raw: Any) -> tuple[Any, ...]:
        items = []
        for one in as_list(raw):
            try:
                items.append(read(one))
            except Misfit as fault:
                fault.places.append(Item(len(items)))
                raise
        return tuple(items)

    return read_all


def _row_of(kinds: tuple[Any, ...]) -> Callable[[Any], Any]:
    readers = [reader_of(kind) for kind in kinds]

    def read(raw: Any) -> Any:
        if len(as_list(raw)) != len(readers):
            raise Misfit(f"does not have {len(readers)} values")
        return tuple(one(value) for one, value in zip(readers, raw, strict=True))

    return read


def _mapping_of(read: Callable[[Any], Any], key_of: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda raw: {key_of(key): placed(key, read, one) for key, one in as_object(raw).items()}


def _one_of(choices: tuple[Any, ...], raw: Any) -> Any:
    if raw not in choices:
        raise Misfit(f"is {str(raw)[:40]!r}, not {' or '.join(map(str, choices))}")
    return raw


def as_object(raw: Any) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise Misfit("is not an object")
    return raw


def as_list(raw: Any) -> list[Any]:
    if not isinstance(raw, list):
        raise Misfit("is not a list")
    return raw


def is_number(raw: Any) -> bool:
    """True for a number that a result file may contain."""
    return isinstance(raw, _NUMBER) and not isinstance(raw, bool) and abs(raw) < LARGEST  # not so NaN


def _number(raw: Any) -> float:
    if not is_number(raw):
        raise Misfit(f"is {str(raw)[:40]!r}, not a valid number")
    return float(raw)


def _whole(raw: Any) -> int:
    if not is_number(raw) or raw != int(raw):
        raise Misfit(f"is {str(raw)[:40]!r}, not a whole number")
    return int(raw)


def _number_as_written(raw: Any) -> float:
    _number(raw)
    return raw  # type: ignore[no-any-return]


def _count(raw: Any) -> float:
    """Packets, whole where they are; nothing is 0."""
    number = _number(raw or 0)
    return int(number) if number.is_integer() else number


def _truth(raw: Any) -> bool:
    if not isinstance(raw, bool):
        raise Misfit(f"is {str(raw)[:40]!r}, not true or false")
    return raw


def _text(raw: Any) -> str:
    if not isinstance(raw, _SCALAR):
        raise Misfit("is not a text")
    return str(raw)


def channel_of(raw: Any) -> Channel:
    try:
        return parse_channel(str(raw))
    except UsageError as error:
        raise Misfit(f"has {str(raw)[:40]!r}: {error}") from None


def _port(raw: str) -> int:
    if not raw.isdecimal():
        raise Misfit(f"has {raw[:40]!r}, not the number of a port")
    return int(raw)


Count = Annotated[float, Stored(read=_count)]
"""Packets, of which there may be a part where they were reckoned."""
Number = Annotated[float, Stored(read=_number_as_written)]
"""A number that stays whole where the file has a whole one."""
_PLAIN: dict[Any, Callable[[Any], Any]] = {
    Any: lambda raw: raw,
    float: _number,
    int: _whole,
    bool: _truth,
    str: _text,
    Channel: channel_of,
}
_KEYS: dict[Any, Callable[[str], Any]] = {int: _port, Channel: channel_of}
