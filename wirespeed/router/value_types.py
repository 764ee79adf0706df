"""The typed values of command lines: parsing, name and completion of each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, NetmaskValueError
from pathlib import Path
from typing import Protocol

from wirespeed.errors import UsageError
from wirespeed.model import parse_mac
from wirespeed.router.grammar import ValueType
from wirespeed.seam.addresses import Address, InterfaceAddress

# RFC 3032 section 2.1.
_RESERVED_LABELS = {"ipv4-explicit-null": 0, "ipv6-explicit-null": 2, "implicit-null": 3}
_MOST_LABEL = 2**20 - 1
_MOST_NUMBER = 2**32 - 1


_MOST_SHOWN = 40


class Names(Protocol):
    """Names in a console that values may refer to."""

    def interface_names(self) -> dict[str, int]: ...
    def interface_index(self, name: str) -> int | None: ...
    def node_names(self) -> list[str]: ...


@dataclass(frozen=True)
class _Value:
    label: str
    rest_of_line: bool = False

    def complete(self, context: Names) -> Iterable[str]:
        return ()


class _NoSuchInterface(ValueError):
    """Lists the existing names only when it is read, which is rare if the word may also be something else."""

    def __str__(self) -> str:
        word, context = self.args
        names = list(context.interface_names())
        shown = ", ".join(names[:_MOST_SHOWN])
        more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
        return f"there is no interface {word!r}; there are {shown}{more}"


class _Interface(_Value):
    def parse(self, word: str, context: Names) -> int:
        index = context.interface_index(word)
        if index is None:
            raise _NoSuchInterface(word, context)
        return index

    def complete(self, context: Names) -> Iterable[str]:
        return context.interface_names()


class _Node(_Value):
    def parse(self, word: str, context: Names) -> str:
        names = context.node_names()
        if word not in names:
            raise ValueError(f"there is no node {word!r}; there are {', '.join(names)}")
        return word

    def complete(self, context: Names) -> Iterable[str]:
        return context.node_names()


class _Address(_Value):
    def parse(self, word: str, context: Names) -> Address:
        try:
            return _six(word) if ":" in word else IPv4Address(word)
        except AddressValueError:
            raise ValueError(f"{word!r} is not an {_family(word)} address") from None


def _six(word: str) -> IPv6Address:
    if "%" in word:
        raise AddressValueError("a scope")
    return IPv6Address(word)


def _family(word: str) -> str:
    return "IPv6" if ":" in word else "IPv4"


class _Prefix(_Value):
    """An address with its prefix length; the host bits are kept, for an interface's own address."""

    def parse(self, word: str, context: Names) -> InterfaceAddress:
        text, slash, length = word.partition("/")
        bits = 128 if ":" in word else 32
        try:
            if slash and not (length.isdecimal() and int(length) <= bits):
                raise NetmaskValueError
            return IPv6Interface((_six(text), int(length or bits))) if ":" in word else IPv4Interface(word)
        except NetmaskValueError:
            raise ValueError(f"{word!r}: a prefix length is 0 to {bits}") from None
        except AddressValueError:
            example = "2001:db8::/32" if ":" in word else "10.0.0.0/8"
            raise ValueError(f"{word!r} is not an {_family(word)} prefix such as {example}") from None


class _Number(_Value):
    def parse(self, word: str, context: Names) -> int:
        # The limit is the core's widest number; a word of a thousand digits is not converted.
        if not word.isdecimal() or len(word) > len(str(_MOST_NUMBER)) or int(word) > _MOST_NUMBER:
            raise ValueError(f"{word!r} is not a whole number from 0 to {_MOST_NUMBER}")
        return int(word)


class _Count(_Value):
    """A number that need not be whole."""

    def parse(self, word: str, context: Names) -> float:
        if not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", word, re.ASCII):
            raise ValueError(f"{word!r} is not a number such as 4 or 2.5")
        return float(word)


class _Share(_Value):
    """A part of a whole: 0.001, 1e-6 or 0.1%."""

    def parse(self, word: str, context: Names) -> float:
        number = word.removesuffix("%")
        if not re.fullmatch(r"\d{1,3}(\.\d{1,20})?(e-\d{1,2})?", number, re.ASCII):
            raise ValueError(f"{word!r} is not a share such as 0.001, 1e-6 or 0.1%")
        share = float(number) / (100 if number != word else 1)
        if share > 1:
            raise ValueError(f"{word!r} is above 100%")
        return share


_NS_OF_UNIT = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


class _Duration(_Value):
    """A time with its unit, as whole nanoseconds."""

    def parse(self, word: str, context: Names) -> int:
        found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)(ns|us|ms|s)", word, re.ASCII)
        if not found:
            raise ValueError(f"{word!r} is not a duration such as 20us, 1.5ms or 2s")
        return round(float(found[1]) * _NS_OF_UNIT[found[2]])


class _Vlan(_Number):
    """A number, or `any`: -1."""

    def parse(self, word: str, context: Names) -> int:
        return -1 if word == "any" else super().parse(word, context)

    def complete(self, context: Names) -> Iterable[str]:
        return ("any",)


class _Numbers(_Value):
    """`0,2-4`: each once, in order."""

    def parse(self, word: str, context: Names) -> tuple[int, ...]:
        if not re.fullmatch(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", word, re.ASCII):
            raise ValueError(f"{word!r} is not a list of numbers such as 0,2-4")
        spans = (part.partition("-") for part in word.split(","))
        found = [n for first, _, last in spans for n in range(int(first), int(last or first) + 1)]
        if not found or len(set(found)) < len(found):
            raise ValueError(f"{word!r} is empty or has a number twice")
        return tuple(found)


class _Label(_Value):
    def parse(self, word: str, context: Names) -> int:
        if word in _RESERVED_LABELS:
            return _RESERVED_LABELS[word]
        if not word.isdecimal() or int(word) > _MOST_LABEL:
            raise ValueError(f"{word!r} is not a label: 0 to {_MOST_LABEL}, or one of {', '.join(_RESERVED_LABELS)}")
        return int(word)

    def complete(self, context: Names) -> Iterable[str]:
        return _RESERVED_LABELS


class _Mac(_Value):
    def parse(self, word: str, context: Names) -> str:
        try:
            return parse_mac(word)
        except UsageError as error:
            raise ValueError(str(error)) from None


class _File(_Value):
    def parse(self, word: str, context: Names) -> Path:
        return Path(word)


class _Text(_Value):
    def parse(self, word: str, context: Names) -> str:
        return word


VALUE_TYPES: dict[str, ValueType] = {
    "address": _Address("<address>"),
    "count": _Count("<count>"),
    "duration": _Duration("<duration>"),
    "file": _File("<file>"),
    "interface": _Interface("<interface>"),
    "label": _Label("<label>"),
    "mac": _Mac("<mac>"),
    "node": _Node("<node>"),
    "number": _Number("<number>"),
    "numbers": _Numbers("<numbers>"),
    "path": _File("<path>", rest_of_line=True),
    "prefix": _Prefix("<prefix>"),
    "share": _Share("<share>"),
    "text": _Text("<text>", rest_of_line=True),
    "vlan": _Vlan("<number>"),
    "word": _Text("<word>"),
}
