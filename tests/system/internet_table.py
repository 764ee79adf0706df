"""Tables as long and as mixed as the Internet's, made up: the same at each call."""

from __future__ import annotations

import random
import socket
from collections.abc import Mapping

# Of a thousand prefixes, about how many have each length in the default-free zone; /24 and /48 are the rest.
_IP4_MIX = {23: 100, 22: 115, 21: 52, 20: 46, 19: 27, 18: 14, 17: 8, 16: 14, 15: 2, 14: 1, 13: 1}
_IP6_MIX = {32: 140, 44: 80, 40: 110, 36: 40, 29: 40, 47: 30, 46: 40, 45: 20, 33: 20, 34: 15, 35: 10, 42: 20, 38: 10}
_TEST_NETWORKS = (10, 127, 192, 198, 203)


def ip4_table(count: int) -> list[str]:
    """Prefixes of /13 to /24 in no order, none of them where a test has its own networks."""
    chosen = _choose(count, _IP4_MIX, 24, 32, lambda pick: pick.randrange(1 << 24, 224 << 24))
    return [f"{socket.inet_ntoa(address.to_bytes(4, 'big'))}/{length}" for address, length in chosen]


def ip6_table(count: int) -> list[str]:
    """Prefixes of /29 to /48 in 2400::/7, in no order."""
    chosen = _choose(count, _IP6_MIX, 48, 128, lambda pick: 0x2400 << 112 | pick.getrandbits(121))
    return [f"{socket.inet_ntop(socket.AF_INET6, address.to_bytes(16, 'big'))}/{length}" for address, length in chosen]


def _choose(count: int, mix: Mapping[int, int], rest: int, bits: int, address) -> list[tuple[int, int]]:
    pick = random.Random(count)
    found: dict[tuple[int, int], None] = {}
    wanted = {length: count * share // 1000 for length, share in mix.items()}
    wanted[rest] = count - sum(wanted.values())
    for length, number in wanted.items():
        end = len(found) + number
        while len(found) < end:
            prefix = address(pick) >> (bits - length) << (bits - length)
            if bits != 32 or prefix >> 24 not in _TEST_NETWORKS:
                found[prefix, length] = None
    shuffled = list(found)
    pick.shuffle(shuffled)
    return shuffled
