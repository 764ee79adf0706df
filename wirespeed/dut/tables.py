"""Full tables: prefixes from a file, or made up as long and as mixed as the Internet's, the same at each call."""

from __future__ import annotations

import ipaddress
import random
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

from wirespeed.errors import FileFault
from wirespeed.files import read_text_file

INTERNET = "internet"
IP4_PREFIXES, IP6_PREFIXES = 900_000, 200_000

# Prefixes of each length per thousand in the default-free zone, approximately; the rest are /24 and /48.
_IP4_MIX = {23: 100, 22: 115, 21: 52, 20: 46, 19: 27, 18: 14, 17: 8, 16: 14, 15: 2, 14: 1, 13: 1}
_IP6_MIX = {32: 140, 44: 80, 40: 110, 36: 40, 29: 40, 47: 30, 46: 40, 45: 20, 33: 20, 34: 15, 35: 10, 42: 20, 38: 10}
_OTHERS = (10, 100, 127, 172, 192, 198, 203)
"""First octets under which nothing is made up: private, shared, or of tests."""
_MOST_BYTES = 256 << 20


def prefixes_of(what: str) -> tuple[str, ...]:
    """`internet`, `internet:COUNT` of IPv4 alone, or a file with a prefix a line, of which the first word counts and
    those that begin with # do not. FileFault names the line that is none."""
    name, colon, count = what.partition(":")
    if name == INTERNET and (not colon or count.isdigit()):
        return ip4_table(int(count)) if colon else ip4_table(IP4_PREFIXES) + ip6_table(IP6_PREFIXES)
    path = Path(what)
    lines = read_text_file(path, "table", _MOST_BYTES).decode(errors="replace").splitlines()
    prefixes: dict[str, None] = {}
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            prefixes[str(ipaddress.ip_network(words[0]))] = None
        except ValueError as error:
            raise FileFault(f"line {number} of table {path}: {error}") from None
    if not prefixes:
        raise FileFault(f"table {path} contains no prefix; give a file with a prefix per line")
    return tuple(prefixes)


def ip4_table(count: int) -> tuple[str, ...]:
    """Prefixes of /13 to /24 in no order."""
    chosen = _choose(count, _IP4_MIX, 24, 32, lambda pick: pick.randrange(1 << 24, 224 << 24))
    return tuple(f"{socket.inet_ntoa(address.to_bytes(4, 'big'))}/{length}" for address, length in chosen)


def ip6_table(count: int) -> tuple[str, ...]:
    """Prefixes of /29 to /48 in 2400::/7, in no order."""
    chosen = _choose(count, _IP6_MIX, 48, 128, lambda pick: 0x2400 << 112 | pick.getrandbits(121))
    return tuple(
        f"{socket.inet_ntop(socket.AF_INET6, address.to_bytes(16, 'big'))}/{length}" for address, length in chosen
    )


def _choose(
    count: int, mix: Mapping[int, int], rest: int, bits: int, address: Callable[[random.Random], int]
) -> list[tuple[int, int]]:
    pick = random.Random(count)
    chosen: dict[tuple[int, int], None] = {}
    wanted = {length: count * share // 1000 for length, share in mix.items()}
    wanted[rest] = count - sum(wanted.values())
    for length, number in wanted.items():
        end = len(chosen) + number
        while len(chosen) < end:
            prefix = address(pick) >> (bits - length) << (bits - length)
            if bits != 32 or prefix >> 24 not in _OTHERS:
                chosen[prefix, length] = None
    shuffled = list(chosen)
    pick.shuffle(shuffled)
    return shuffled
