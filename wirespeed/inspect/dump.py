"""The memory of a module as bytes, from whatever dump in hexadecimal there is of it.

Read are `ethtool -m I hex on`, i2cdump, FreeBSD's, `hexdump` (with and without -C), `xxd`, `od`, SONiC's `sfputil show
eeprom-hexdump`, and plain hex digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_COLON = re.compile(r"\s*(?:0x)?([0-9a-fA-F]{1,8})\s*:\s*")
_BARE = re.compile(r"\s*([0-9a-fA-F]{4,8})\s+(?=[0-9a-fA-F]{2})")
_ADDRESS = re.compile(r"[0-9a-fA-F]{4,8}")
"""Alone in the line below the last row."""
_BYTES = re.compile(r"(?:0x)?(?:[0-9a-fA-F]{2})+")
_WORDS = re.compile(r"[0-9a-fA-F]{4}(?: [0-9a-fA-F]{4})*")
_PORT = re.compile(r"\s*EEPROM hexdump for port (\S+)")
_PART = re.compile(r"(?i)\s*(?:(?P<first>a0h|lower page)|a2h dump|upper page\s+(?:0x)?(?P<page>[0-9a-f]{1,2})h)")
_ROW, _PAGE, _A2 = 16, 128, 256
_MOST_REPEATED = 1024
_LAST_PAGE = 0x11
"""Pages behind it are of no use here, and have banks, which no linear memory has."""
_SWAPPED_DIGITS = 7
"""Number of digits in the offsets of `hexdump` without -C and of `od -x`, whose two-byte words are in host byte
order."""


@dataclass(frozen=True)
class _Row:
    """`offset` is None where the line has none; `begins` is where its part of the memory lies, None but in the first
    row of a part. A row that follows a `*` is `repeated`."""

    offset: int | None
    values: bytes
    begins: int | None
    repeated: bool


def dump_bytes(text: str) -> bytes:
    """The bytes of a dump, from its first address on. ValueError when there are none, and for several modules.

    Addresses and what stands right of the bytes as text are left out, and so are lines without bytes. A `*` stands for
    the line before it, as far as the next address. Parts (pages, A2h) lie where `ethtool -m` has them; a page that is
    missing before another one is zeros, and pages above 11h are left out.
    """
    ports = _PORT.findall(text)
    if len(ports) > 1:
        raise ValueError(f"it holds {len(ports)} modules, of ports {', '.join(ports[:4])}; give one of them")
    data, base, part = bytearray(), None, 0
    for row in _rows(text.splitlines()):
        part = part if row.begins is None else row.begins
        if row.offset is not None:
            at = part + row.offset
            base = at - len(data) if base is None else base
            gap = at - base - len(data)
            if row.repeated and 0 < gap <= _MOST_REPEATED and data:
                data += (bytes(data[-_ROW:]) * (gap // _ROW + 1))[:gap]
            elif row.begins is not None and row.begins > _LAST_PAGE * _PAGE:
                break
            elif row.begins is not None and gap > 0:
                data += bytes(gap)
        data += row.values
    if not data:
        raise ValueError("it holds no bytes in hexadecimal")
    return bytes(data)


def _rows(lines: Sequence[str]) -> Iterator[_Row]:
    radix = _radix_of_bare_offsets(lines)
    begins, repeated = None, False
    for line in lines:
        if (part := _PART.match(line)) is not None:
            begins = _begins(part)
        if line.strip() == "*":
            repeated = True
            continue
        offset, values = _parsed(line, radix)
        if values or (repeated and offset is not None):
            yield _Row(offset, values, begins, repeated)
            begins, repeated = None, False


def _begins(part: re.Match[str]) -> int:
    """Place of address 0 of a part: every upper page has the addresses 80h to FFh."""
    if part["first"]:
        return 0
    return int(part["page"], 16) * _PAGE if part["page"] else _A2


def _parsed(line: str, radix: int | None) -> tuple[int | None, bytes]:
    if (match := _COLON.match(line)) is not None:
        rest = line[match.end() :]
        # In the groups of xxd, two spaces begin the text.
        groups = rest.partition("  ")[0]
        return int(match[1], 16), _values(groups if _WORDS.fullmatch(groups) else rest, _ROW)
    if radix is not None and (match := _BARE.match(line)) is not None:
        rest = line[match.end() :]
        values = _values(rest, _ROW)
        if len(match[1]) == _SWAPPED_DIGITS and _WORDS.fullmatch(" ".join(rest.split())):
            values = b"".join(values[at : at + 2][::-1] for at in range(0, len(values), 2))
        return int(match[1], radix), values
    if radix is not None and _ADDRESS.fullmatch(line.strip()):
        return int(line, radix), b""
    return None, _values(line, None)


def _radix_of_bare_offsets(lines: Sequence[str]) -> int | None:
    """The radix of the addresses that lines begin with, without a colon. None where the first words are not addresses,
    since each does not tell how many bytes are before it."""
    for radix in (16, 8):
        expected: int | None = None
        count = 0
        for line in lines:
            if line.strip() == "*" or _PART.match(line):
                expected = None
                continue
            match = _BARE.match(line)
            is_end = count and _ADDRESS.fullmatch(line.strip())
            if match is None and (is_end or _COLON.match(line) or not _values(line, None)):
                continue
            if match is None:
                break
            if radix == 8 and not set(match[1]) <= set("01234567"):
                break
            at = int(match[1], radix)
            if at != (at // _ROW * _ROW if expected is None else expected) or (not count and at not in (0, _PAGE)):
                break
            expected, count = at + len(_values(line[match.end() :], _ROW)), count + 1
        else:
            if count:
                return radix
    return None


def _values(rest: str, most: int | None) -> bytes:
    """The bytes that a line without its address begins with, `most` of them at most; none when its first word is no
    byte."""
    values = bytearray()
    # Four spaces or a bar after the sixteenth byte begin the text of it.
    for word in rest.strip().partition("    ")[0].partition("|")[0].split():
        if not _BYTES.fullmatch(word):
            break
        values += bytes.fromhex(word.removeprefix("0x"))
        if most is not None and len(values) >= most:
            break
    return bytes(values)
