"""Flows as described by the packet tests of the public OTG suites, and the required content of their frames.

The suites are the back-to-back tests of open-traffic-generator/conformance, and open-traffic-generator/snappi-tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

Json = dict[str, Any]
Holds = Callable[[Sequence[int]], bool]
"""Checks the values of a field, in frame order, against the request."""

BYTES = {"ethernet": 14, "ipv4": 20, "ipv6": 40, "udp": 8, "tcp": 20, "vxlan": 8}
PLACES = {
    "ethernet": {"dst": (0, 6), "src": (6, 6), "ether_type": (12, 2)},
    "ipv4": {"total_length": (2, 2), "protocol": (9, 1), "src": (12, 4), "dst": (16, 4)},
    "ipv6": {"payload_length": (4, 2), "next_header": (6, 1), "src": (8, 16), "dst": (24, 16)},
    "udp": {"src_port": (0, 2), "dst_port": (2, 2), "length": (4, 2)},
    "tcp": {"src_port": (0, 2), "dst_port": (2, 2), "data_offset": (12, 1)},
    "vxlan": {"vni": (4, 3)},
}
"""Offset and length of the fields of each header."""

NEXT = {"ipv4": 0x0800, "ipv6": 0x86DD, "udp": 17, "tcp": 6}
LENGTHS = {"ipv4": "total_length", "ipv6": "payload_length", "udp": "length"}
TYPES = {"ethernet": "ether_type", "ipv4": "protocol", "ipv6": "next_header"}


@dataclass(frozen=True)
class Pattern:
    """A field in the model's form, and a check of the values that arrived."""

    given: Json
    holds: Holds


def number(value: int | str) -> int:
    """An address as a number."""
    if isinstance(value, int):
        return value
    digits = value.split(":")
    if len(digits) == 6 and "" not in digits:
        return int("".join(digits), 16)
    return int(ip_address(value))


def repeats(expected: Sequence[int]) -> Holds:
    return lambda came: list(came) == [expected[place % len(expected)] for place in range(len(came))]


def just(value: int | str) -> Pattern:
    return Pattern({"choice": "value", "value": value}, repeats([number(value)]))


def listed(*values: int) -> Pattern:
    return Pattern({"choice": "values", "values": list(values)}, repeats(values))


def _range(kind: str, start: int | str, step: int | str, count: int, sign: int) -> Pattern:
    expected = [number(start) + sign * number(step) * place for place in range(count)]
    return Pattern({"choice": kind, kind: {"start": start, "step": step, "count": count}}, repeats(expected))


def up(start: int | str, step: int | str, count: int) -> Pattern:
    return _range("increment", start, step, count, 1)


def down(start: int | str, step: int | str, count: int) -> Pattern:
    return _range("decrement", start, step, count, -1)


def drawn(low: int, high: int, count: int, seed: int = 1) -> Pattern:
    """Random values: the model only requires `count` values that repeat."""

    def holds(came: Sequence[int]) -> bool:
        several = len(set(came[:count])) > 1 and all(low <= one <= high for one in came)
        return several and repeats(came[:count])(came)

    return Pattern({"choice": "random", "random": {"min": low, "max": high, "seed": seed, "count": count}}, holds)


def sizes(low: int, high: int, step: int) -> Pattern:
    given = {"choice": "increment", "increment": {"start": low, "end": high, "step": step}}
    return Pattern(given, repeats(range(low, high + 1, step)))


def fixed_size(size: int) -> Pattern:
    return Pattern({"choice": "fixed", "fixed": size}, repeats([size]))


def random_sizes(low: int, high: int) -> Pattern:
    def holds(came: Sequence[int]) -> bool:
        return len(set(came)) > 1 and all(low <= one <= high for one in came)

    return Pattern({"choice": "random", "random": {"min": low, "max": high}}, holds)


Header = tuple[str, dict[str, Pattern]]


@dataclass(frozen=True)
class Case:
    """A flow and its frames: the headers that follow the first one, each with its given fields. `macs`: number of MAC
    addresses in the first one; `back`: the flow is from the second port to the first.
    """

    headers: list[Header]
    size: Pattern
    packets: int = 100
    rate: Json = field(default_factory=lambda: {"choice": "pps", "pps": 500})
    macs: int = 1
    back: bool = False

    def stack(self, number: int) -> list[Header]:
        """With the Ethernet header of flow `number`; the first five bytes of the source identify its frames."""
        start, one = f"00:00:01:01:{number:02x}", "00:00:00:00:00:01"
        macs = {"src": up(f"{start}:10", one, self.macs), "dst": down(f"{start}:f0", one, self.macs)}
        return [("ethernet", macs), *self.headers]

    def judged(self, number: int) -> Iterator[tuple[str, int, int, Holds]]:
        """Name, offset and length of the given fields and of those that follow from the headers."""
        stack, begin = self.stack(number), 0
        for place, (kind, given) in enumerate(stack):
            judges = {name: one.holds for name, one in given.items()}
            if kind in TYPES and place + 1 < len(stack):
                judges[TYPES[kind]] = repeats([NEXT[stack[place + 1][0]]])
            if kind == "tcp":
                judges["data_offset"] = repeats([5 << 4])
            for name, holds in judges.items():
                at, size = PLACES[kind][name]
                yield f"{kind}.{name}", begin + at, size, holds
            begin += BYTES[kind]

    def lengths(self) -> Iterator[tuple[str, int, int]]:
        """Name and offset of each length field, and the offset from which it counts the bytes up to the FCS."""
        begin = BYTES["ethernet"]
        for kind, _ in self.headers:
            if kind in LENGTHS:
                name = LENGTHS[kind]
                yield f"{kind}.{name}", begin + PLACES[kind][name][0], begin + (BYTES[kind] if kind == "ipv6" else 0)
            begin += BYTES[kind]


def ends(kind: str, src: str, dst: str) -> Header:
    return kind, {"src": just(src), "dst": just(dst)}


def ports(kind: str, src: Pattern, dst: Pattern) -> Header:
    return kind, {"src_port": src, "dst_port": dst}


IP4, IP6 = ends("ipv4", "1.1.1.1", "1.1.1.2"), ends("ipv6", "2000::1", "2000::2")
TUNNEL = [
    ports("udp", just(4789), just(4789)),
    ("vxlan", {"vni": listed(1000, 1001, 1002, 1003, 1004)}),
    ends("ethernet", "00:00:01:01:ff:03", "00:00:01:01:ff:04"),
]
WEB = ports("tcp", just(80), just(80))
FOUR, FOUR_MORE = listed(5000, 5010, 5020, 5030), listed(6000, 6010, 6020, 6030)
SIX, THREE = listed(5000, 5050, 5015, 5040, 5032, 5021), listed(6000, 6015, 6050)
COUNTED = up(5000, 2, 10), down(6000, 2, 10)
TEN_PORTS = up(5000, 1, 10), up(2000, 1, 10)
TEN_IP4 = "ipv4", {"src": up("10.1.1.1", "0.0.1.0", 10), "dst": up("10.1.1.2", "0.0.1.0", 10)}
TEN_IP6 = "ipv6", {"src": up("abcd::1a", "1::", 10), "dst": up("abcd::2a", "1::", 10)}
FULL, TENTH = fixed_size(1518), {"choice": "percentage", "percentage": 10}

CASES = {
    "tcp: one pair of ports": Case([IP4, ports("tcp", just(5000), just(6000))], fixed_size(128)),
    "tcp: ports down and up": Case([IP4, ports("tcp", down(5000, 2, 10), up(6000, 2, 10))], fixed_size(128)),
    "tcp: lists of ports": Case([IP4, ports("tcp", FOUR, FOUR_MORE)], fixed_size(128)),
    "udp: one pair of ports": Case([IP4, ports("udp", just(5000), just(6000))], fixed_size(128)),
    "udp: ports down and up": Case([IP4, ports("udp", down(5000, 2, 10), up(6000, 2, 10))], fixed_size(128)),
    "udp: lists of ports": Case([IP4, ports("udp", FOUR, FOUR_MORE)], fixed_size(128)),
    "udp over IPv6: lists of ports": Case([IP6, ports("udp", FOUR, FOUR_MORE)], fixed_size(128)),
    "VXLAN over IPv6: IPv4 inside": Case([IP6, *TUNNEL, IP4, WEB], fixed_size(256)),
    "VXLAN over IPv4: IPv6 inside": Case([IP4, *TUNNEL, IP6, WEB], fixed_size(256)),
    "tcp: counted ports, full frames": Case([IP4, ports("tcp", *COUNTED)], FULL, rate=TENTH),
    "tcp: lists of six and three ports, full frames": Case([IP4, ports("tcp", SIX, THREE)], FULL, rate=TENTH),
    "tcp: the other way": Case([IP4, ports("tcp", SIX, THREE)], FULL, rate=TENTH, back=True),
    "udp: a single packet": Case([IP4, ports("udp", just(3000), just(4000))], fixed_size(74), 1, TENTH),
    "udp: counted ports, small frames": Case([IP4, ports("udp", *COUNTED)], fixed_size(74), rate=TENTH),
    "udp: lists of ports, small frames": Case([IP4, ports("udp", SIX, THREE)], fixed_size(74), rate=TENTH),
    "ten hosts of IPv4": Case([TEN_IP4, ports("tcp", *TEN_PORTS)], fixed_size(256), macs=10),
    "ten hosts of IPv6": Case([TEN_IP6, ports("tcp", *TEN_PORTS)], fixed_size(256), macs=10),
    "udp: random ports": Case([IP4, ports("udp", drawn(1000, 60_000, 7), drawn(20, 30, 5, seed=9))], fixed_size(64)),
    "sizes that grow": Case([IP4, ports("udp", just(7), just(7))], sizes(64, 1518, 97)),
    "random sizes": Case([IP6, ports("udp", just(7), just(7))], random_sizes(86, 1518)),
}
