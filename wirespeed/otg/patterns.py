"""A header field's value or pattern, read from the model's JSON. Pure.

All values are whole numbers from here on: addresses are read as the numbers they are.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Literal

from wirespeed.otg.faults import ModelFault

Json = dict[str, Any]
Kind = Literal["number", "mac", "ipv4", "ipv6"]

Read = Callable[[str, Any], int]
"""The value of a field by its path and its given pattern."""

MOST_VALUES = 65536
CHOICES = ("value", "values", "increment", "decrement", "random")
AUTO = ("auto", "generated")


@dataclass(frozen=True)
class MetricTag:
    """Bits of a field by whose values metrics are told apart; `offset` counts from the field's begin."""

    name: str
    offset: int
    length: int


@dataclass(frozen=True)
class Pattern:
    """`values` are cycled in order; a range is `count` values from `first` by `step`, up or down; random draws `count`
    values from `low` to `high` and repeats them."""

    choice: Literal["values", "increment", "decrement", "random"]
    first: int
    values: tuple[int, ...] = ()
    step: int = 1
    count: int = 1
    low: int = 0
    high: int = 0
    seed: int = 1
    tags: tuple[MetricTag, ...] = ()

    @property
    def varies(self) -> bool:
        return self.count > 1

    def value(self, place: int) -> int:
        """Value of packet number `place`; only the core knows random values."""
        place %= self.count
        if self.choice == "values":
            return self.values[place]
        return self.first + (self.step if self.choice == "increment" else -self.step) * place

    @property
    def changing(self) -> int:
        """The bits that are not the same in all values, and those between them."""
        if self.choice == "values":
            return functools.reduce(operator.or_, (value ^ self.first for value in self.values))
        steps = 1 if self.choice == "random" else self.step & -self.step
        return ((1 << (self.low ^ self.high).bit_length()) - 1) & -steps

    def part(self, shift: int, bits: int) -> Pattern:
        """So many bits of all values, above `shift` bits that do not change."""

        def cut(value: int) -> int:
            return value >> shift & (1 << bits) - 1

        return replace(
            self,
            first=cut(self.first),
            values=tuple(map(cut, self.values)),
            step=self.step >> shift,
            low=cut(self.low),
            high=cut(self.high),
        )


def fixed(value: int) -> Pattern:
    return Pattern("values", value, (value,), low=value, high=value)


def read_pattern(path: str, raw: Any, kind: Kind, bits: int) -> Pattern | None:
    """The pattern of a field of so many bits; None for `auto`. ModelFault for an invalid pattern."""
    if not isinstance(raw, dict):
        raise ModelFault(path, "must be an object with a choice")
    choice = raw.get("choice", "value")
    tags = _tags(f"{path}.metric_tags", raw.get("metric_tags"), bits)
    if choice in AUTO:
        if raw.get("generated", "good") != "good":
            raise ModelFault(f"{path}.generated", "only 'good' is supported; give a wrong checksum by 'custom'")
        if tags:
            raise ModelFault(f"{path}.metric_tags", f"needs given values, not {choice!r}")
        if kind in ("ipv4", "ipv6"):
            raise ModelFault(f"{path}.choice", "'auto' is not supported, there is no DHCP; give an address")
        return None
    pattern = _chosen(path, raw, choice, _reader(kind, bits), bits)
    if tags and pattern.choice == "random" and pattern.varies:
        raise ModelFault(f"{path}.metric_tags", "is not supported on random values; give a list of values")
    return replace(pattern, tags=tags)


def _tags(path: str, raw: Any, bits: int) -> tuple[MetricTag, ...]:
    if not raw:
        return ()
    if not isinstance(raw, list) or not all(isinstance(one, dict) for one in raw):
        raise ModelFault(path, "must be a list of objects with a name")
    tags = []
    for place, tag in enumerate(raw):
        name = tag.get("name")
        if not isinstance(name, str) or not 0 < len(name) <= 200:
            raise ModelFault(f"{path}[{place}].name", "must be a name of 1 to 200 characters")
        offset = whole(f"{path}[{place}].offset", tag.get("offset", 0), 0, bits - 1)
        length = whole(f"{path}[{place}].length", tag.get("length", bits - offset), 1, bits - offset)
        tags.append(MetricTag(name, offset, length))
    return tuple(tags)


def _chosen(path: str, raw: Json, choice: str, read: Read, bits: int) -> Pattern:
    member = "custom" if choice == "custom" else choice
    if member != "custom" and member not in CHOICES:
        raise ModelFault(f"{path}.choice", f"{choice!r} is not one of {', '.join((*CHOICES, *AUTO, 'custom'))}")
    body, where = raw.get(member), f"{path}.{member}"
    if member in ("value", "custom"):
        return fixed(read(where, 0 if body is None else body))
    if member == "values":
        return _values(where, body, read)
    if not isinstance(body, dict):
        raise ModelFault(where, "is missing")
    return _drawn(where, body, read) if member == "random" else _counted(where, body, read, bits, member == "increment")


def _values(path: str, body: Any, read: Read) -> Pattern:
    if not isinstance(body, list) or not 1 <= len(body) <= MOST_VALUES:
        raise ModelFault(path, f"must be a list of 1 to {MOST_VALUES} values")
    values = tuple(read(f"{path}[{place}]", one) for place, one in enumerate(body))
    return Pattern("values", values[0], values, count=len(values), low=min(values), high=max(values))


def _counted(path: str, body: Json, read: Read, bits: int, up: bool) -> Pattern:
    start, step = read(f"{path}.start", body.get("start", 0)), read(f"{path}.step", body.get("step", 1))
    count = _count(path, body)
    if not step:
        count = 1
    last = start + (step if up else -step) * (count - 1)
    if not 0 <= last < 1 << bits:
        raise ModelFault(
            path, f"{count} values in steps of {step} from {start} do not fit into the field of {bits} bits"
        )
    low, high = min(start, last), max(start, last)
    return Pattern("increment" if up else "decrement", start, step=step, count=count, low=low, high=high)


def _drawn(path: str, body: Json, read: Read) -> Pattern:
    low = read(f"{path}.min", body.get("min", 0))
    high = read(f"{path}.max", body.get("max", 255))
    if low > high:
        raise ModelFault(f"{path}.min", f"{low} is above the max {high}")
    seed = whole(f"{path}.seed", body.get("seed", 1), 0, (1 << 32) - 1)
    return Pattern("random", low, count=_count(path, body), low=low, high=high, seed=seed)


def _count(path: str, body: Json) -> int:
    return whole(f"{path}.count", body.get("count", 1), 1, (1 << 32) - 1)


def whole(path: str, given: Any, low: int, high: int) -> int:
    """A whole number; the model's 64-bit ones travel as text."""
    text = str(given)
    if isinstance(given, bool) or not (text.isascii() and text.isdigit()) or not low <= int(text[:40]) <= high:
        raise ModelFault(path, f"{text[:40]!r} must be a whole number from {low} to {high}")
    return int(text)


def _reader(kind: Kind, bits: int) -> Read:
    def read(path: str, raw: Any) -> int:
        if kind == "number" or isinstance(raw, int):
            return whole(path, raw, 0, (1 << bits) - 1)
        try:
            if kind == "mac":
                return _mac(str(raw))
            return int(IPv4Address(str(raw)) if kind == "ipv4" else IPv6Address(str(raw)))
        except ValueError:
            raise ModelFault(path, f"{str(raw)[:60]!r} is not a valid {kind} address") from None

    return read


def _mac(text: str) -> int:
    parts = text.replace("-", ":").split(":")
    if len(parts) != 6 or not all(1 <= len(part) <= 2 for part in parts):
        raise ValueError
    return int.from_bytes(bytes(int(part, 16) for part in parts), "big")
