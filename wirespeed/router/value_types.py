"""The typed values that command lines hold: how each is read, what it is called, and what completes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv4Interface, NetmaskValueError
from pathlib import Path
from typing import Protocol

from wirespeed.errors import UsageError
from wirespeed.model import parse_mac
from wirespeed.router.grammar import ValueType


class Names(Protocol):
    """What a console knows that values may name."""

    def interface_names(self) -> list[str]: ...
    def node_names(self) -> list[str]: ...


@dataclass(frozen=True)
class _Value:
    label: str
    rest_of_line: bool = False

    def complete(self, context: Names) -> Iterable[str]:
        return ()


class _Interface(_Value):
    def parse(self, word: str, context: Names) -> int:
        names = context.interface_names()
        if word not in names:
            raise ValueError(f"there is no interface {word!r}; there are {', '.join(names)}")
        return names.index(word)

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
    def parse(self, word: str, context: Names) -> IPv4Address:
        try:
            return IPv4Address(word)
        except AddressValueError:
            raise ValueError(f"{word!r} is no IPv4 address{_six(word)}") from None


class _Prefix(_Value):
    """An address with its prefix length; the host bits are kept, for an interface's own address."""

    def parse(self, word: str, context: Names) -> IPv4Interface:
        _, slash, length = word.partition("/")
        try:
            if slash and not length.isdigit():
                raise NetmaskValueError
            return IPv4Interface(word)
        except NetmaskValueError:
            raise ValueError(f"{word!r}: a prefix length is 0 to 32") from None
        except AddressValueError:
            raise ValueError(f"{word!r} is no IPv4 prefix such as 10.0.0.0/8{_six(word)}") from None


class _Number(_Value):
    def parse(self, word: str, context: Names) -> int:
        if not word.isdecimal():
            raise ValueError(f"{word!r} is no whole number")
        return int(word)


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


def _six(word: str) -> str:
    return " (IPv6 is not supported yet)" if ":" in word else ""


VALUE_TYPES: dict[str, ValueType] = {
    "address": _Address("<address>"),
    "file": _File("<file>"),
    "interface": _Interface("<interface>"),
    "mac": _Mac("<mac>"),
    "node": _Node("<node>"),
    "number": _Number("<number>"),
    "prefix": _Prefix("<prefix>"),
    "text": _Text("<text>", rest_of_line=True),
}
