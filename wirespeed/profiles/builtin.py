"""The built-in profiles, with the addresses, sizes and field programs of T-Rex's stock ones.

`PROFILES` and `TUNABLES` describe them; `python -m manual references docs` writes docs/profiles.md from both. Addresses
of IPv6 are from 2001:2::/49 to 2001:2:0:8000::/49, the two halves of the prefix that RFC 5180 has for benchmarks.
Networks of `offset` keep load tests free of common flows, within the prefixes that DUTs route back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from wirespeed.errors import UsageError
from wirespeed.profiles.destinations import MOST, destinations, table_program, table_program6
from wirespeed.profiles.field_program import STLVM
from wirespeed.profiles.instructions import CTRexVmInsFixHwCs
from wirespeed.profiles.packet import STLPktBuilder
from wirespeed.profiles.streams import (
    STLFlowLatencyStats,
    STLFlowStats,
    STLStream,
    STLTXCont,
)
from wirespeed.scapy_layers import IP, MPLS, UDP, Ether, IPv6, Packet, trex_defaults
from wirespeed.units import FCS_BYTES, MAX_FRAME_BYTES, MIN_FRAME_BYTES

CLIENTS = "16.0.0.0"
SERVERS = "48.0.0.0"
CLIENTS6 = "2001:2::"
SERVERS6 = "2001:2:0:8000::"
MAX_LABEL = 0xF_FFFF
MAX_LABELS = 0x8000
"""Most labels of a direction; more than any tested router has room for."""
LABEL_AT, LABEL_SHIFT = 14, 12
"""Offset of a label in the frame, and its place in those four bytes."""
MAX_OFFSET = 0xFFFF
"""The last network of 24 bits within 16.0.0.0/8."""
MAX_OFFSET6 = 0x7FFF
"""The last network of 64 bits within 2001:2::/49."""
IP6_VMS = ("none", "var1", "var2", "random")
HOST6_AT = 14
"""Offset of the two bytes of an IPv6 address in which hosts of a network differ."""

VMS = ("none", "var1", "var2", "random", "tuple", "size", "cached")
MPLS_VMS = ("none", "var1", "var2", "random", "tuple", "cached")
TABLE_VMS = ("none", "var1", "var2")
TABLE_WORDS = ", ".join(TABLE_VMS)
FLOWS = ("no-fs", "fs", "fsl")


@dataclass(frozen=True)
class MixPart:
    """One stream of a mix: frame size with FCS, packets per second, start in microseconds."""

    frame_size_bytes: int
    rate_pps: int
    start_usec: float


BENCH_IMIX = (MixPart(68, 28, 0), MixPart(590, 16, 0.1), MixPart(1514, 4, 0.2))
STL_IMIX = (MixPart(64, 28, 0), MixPart(594, 16, 0.1), MixPart(1518, 4, 0.2))


@dataclass(frozen=True)
class AddressRange:
    """First and last IPv4 address of one side."""

    first: IPv4Address
    last: IPv4Address


def streams(name: str, tunables: dict[str, str], port_id: int, direction: int) -> list[STLStream]:
    """Streams of the built-in profile `name`; UsageError for a tunable or value that it does not take."""
    profile = PROFILES[name]
    unknown = [key for key in tunables if key not in profile.tunables]
    if unknown:
        raise UsageError(f"profile {name}: no tunable {unknown[0]!r}; it takes {', '.join(profile.tunables)}")
    with trex_defaults():
        return profile.build(tunables, port_id, direction)


def _bench(tunables: dict[str, str], port_id: int, direction: int) -> list[STLStream]:
    vm = _choice(tunables, "vm", VMS)
    if vm == "size" and tunables.get("size") == "imix":
        raise UsageError("profile bench: vm=size draws sizes of its own; drop size=imix or choose another vm")
    if vm == "size":
        parts: tuple[MixPart, ...] = (MixPart(MAX_FRAME_BYTES, 1, 0),)  # a packet can be trimmed, not grown
    elif tunables.get("size") == "imix":
        parts = BENCH_IMIX
    else:
        size = _number(tunables, "size", 64, (MIN_FRAME_BYTES, MAX_FRAME_BYTES), "or imix")
        parts = (MixPart(size, 1, 0),)
    flow = _choice(tunables, "flow", FLOWS)
    pg_id = _number(tunables, "pg_id", 7, (0, 0xFFFF_FFFF - port_id)) + port_id
    if flow == "fsl" and len(parts) > 1:
        raise UsageError("profile bench: flow=fsl measures one stream, and size=imix has three; give a number as size")
    if _choice(tunables, "ip", ("4", "6")) == "6":
        headers, program = _bench6(tunables, vm, direction)
    else:
        src, dst = _sides(tunables, direction, 4, 254)
        drawn = _drawn(tunables, 4, vm, direction)
        source = None if vm == "none" else (str(src.first), str(src.last))
        program = table_program(source, drawn) if drawn else _bench_program(vm, src, dst)
        headers = Ether() / IP(src=str(src.first), dst=str(dst.first)) / UDP(sport=1025, dport=12, chksum=0)
    built = []
    for part in parts:
        stats = {"no-fs": None, "fs": STLFlowStats, "fsl": STLFlowLatencyStats}[flow]
        built.append(
            STLStream(
                packet=STLPktBuilder(_padded(headers, part.frame_size_bytes), vm=program),
                mode=STLTXCont(pps=part.rate_pps),
                isg=part.start_usec,
                flow_stats=stats(pg_id) if stats else None,
            )
        )
    return built


def _bench6(tunables: dict[str, str], vm: str, direction: int) -> tuple[Packet, STLVM]:
    """Headers of IPv6 and the program that varies the last 16 bits of addresses, from 4 to 254 as those of IPv4."""
    if vm not in IP6_VMS:
        raise UsageError(f"profile bench: vm={vm} is for IPv4; with ip=6, vm is one of {', '.join(IP6_VMS)}")
    size = tunables.get("size", "64")
    headers = Ether() / IPv6() / UDP(sport=1025, dport=12)
    if size.isdigit() and int(size) < len(headers) + FCS_BYTES:
        raise UsageError(
            f"profile bench: size={size} is too short for IPv6 and UDP; give {len(headers) + FCS_BYTES} or more"
        )
    shift = _number(tunables, "offset", 0, (0, MAX_OFFSET6)) << 64
    sides = [str(IPv6Address(base) + shift + 4) for base in (CLIENTS6, SERVERS6)]
    headers[IPv6].src, headers[IPv6].dst = sides if direction == 0 else reversed(sides)
    program = STLVM()
    drawn = _drawn(tunables, 6, vm, direction)
    fields = {"none": (), "var2": ("src",) if drawn else ("src", "dst")}.get(vm, ("src",))
    for name in fields:
        program.var(name, 4, 254, size=2, op="random" if vm == "random" else "inc")
        program.write(name, f"IPv6.{name}", offset_fixup=HOST6_AT)
    if drawn:
        table_program6(program, drawn)
    elif fields:
        program.fix_chksum_hw("IPv6", "UDP", CTRexVmInsFixHwCs.L4_TYPE_UDP)
    return headers, program


def _drawn(tunables: dict[str, str], version: int, vm: str, direction: int) -> tuple[int, ...]:
    """Destinations by the tunables `prefixes` and `destinations`; none without a table."""
    count = _number(tunables, "destinations", MOST, (1, MOST))
    table = tunables.get("prefixes", "")
    if not table:
        if "destinations" in tunables:
            raise UsageError("profile bench: destinations=N are drawn from a table; give prefixes=FILE or internet too")
        return ()
    if vm not in TABLE_VMS:
        raise UsageError(f"profile bench: vm={vm} has destinations of its own; with prefixes=, vm is {TABLE_WORDS}")
    return destinations(table, version, direction, count)


def _bench_program(vm: str, src: AddressRange, dst: AddressRange) -> STLVM:
    program = STLVM()
    match vm:
        case "none":
            return program
        case "size":
            low, high = MIN_FRAME_BYTES - FCS_BYTES, MAX_FRAME_BYTES - FCS_BYTES
            program.var("size", low, high, size=2, op="random")
            program.trim("size")
            program.write("size", "IP.len", add_val=-14)
            program.write("size", "UDP.len", add_val=-34)
        case "tuple":
            program.tuple_var("tuple", str(src.first), str(src.last), 1234, 65500)
            program.write("tuple.ip", "IP.src")
            program.write("tuple.port", "UDP.sport")
        case _:
            _vary(program, "src", src, "random" if vm == "random" else "inc")
            if vm == "var2":
                _vary(program, "dst", dst, "inc")
            program.write("src", "IP.src")
            if vm == "var2":
                program.write("dst", "IP.dst")
    program.fix_chksum()
    if vm == "cached":
        program.set_cached(255)
    return program


def _imix(tunables: dict[str, str], port_id: int, direction: int) -> list[STLStream]:
    src, dst = _sides(tunables, direction, 1, 254)
    program = STLVM()
    _vary(program, "src", src, "inc")
    _vary(program, "dst", dst, "inc")
    program.write("src", "IP.src")
    program.write("dst", "IP.dst")
    program.fix_chksum()
    return [
        STLStream(
            packet=STLPktBuilder(
                _padded(Ether() / IP(src=str(src.first), dst=str(dst.first)) / UDP(), part.frame_size_bytes),
                vm=program,
            ),
            mode=STLTXCont(pps=part.rate_pps),
            isg=part.start_usec,
        )
        for part in STL_IMIX
    ]


def _udp_1pkt_simple(tunables: dict[str, str], port_id: int, direction: int) -> list[STLStream]:
    # T-Rex's file sends the same packet from every port; here port 1's goes to port 0, as routers need it.
    src, dst = _sides(tunables, direction, 1, 1)
    packet = Ether() / IP(src=str(src.first), dst=str(dst.first)) / UDP(sport=1025, dport=12) / (b"x" * 10)
    return [STLStream(packet=STLPktBuilder(packet), mode=STLTXCont())]


def _mpls(tunables: dict[str, str], port_id: int, direction: int) -> list[STLStream]:
    size = _number(tunables, "size", 64, (MIN_FRAME_BYTES, MAX_FRAME_BYTES))
    labels = _number(tunables, "labels", 1, (1, MAX_LABELS))
    first = _number(tunables, "label", 16, (16, MAX_LABEL + 1 - 2 * labels)) + direction * labels
    src, dst = _sides(tunables, direction, 4, 254)
    program = _bench_program(_choice(tunables, "vm", MPLS_VMS), src, dst)
    if labels > 1:
        program.var("label", first, first + labels - 1, size=4, op="inc")
        program.write_mask("label", LABEL_AT, pkt_cast_size=4, mask=MAX_LABEL << LABEL_SHIFT, shift=LABEL_SHIFT)
    packet = Ether() / MPLS(label=first, s=1, ttl=64) / IP(src=str(src.first), dst=str(dst.first))
    packet = packet / UDP(sport=1025, dport=12, chksum=0)
    return [STLStream(packet=STLPktBuilder(_padded(packet, size), vm=program), mode=STLTXCont())]


def _sides(tunables: dict[str, str], direction: int, first: int, last: int) -> tuple[AddressRange, AddressRange]:
    """Source and destination range of a direction; `first` and `last` are the last byte of the address."""
    shift = _number(tunables, "offset", 0, (0, MAX_OFFSET)) << 8
    clients, servers = (
        AddressRange(IPv4Address(base) + shift + first, IPv4Address(base) + shift + last) for base in (CLIENTS, SERVERS)
    )
    return (clients, servers) if direction == 0 else (servers, clients)


def _vary(program: STLVM, name: str, addresses: AddressRange, op: str) -> None:
    program.var(name, str(addresses.first), str(addresses.last), size=4, op=op)


def _padded(packet: Ether, frame_size_bytes: int) -> Ether:
    return packet / (b"x" * max(0, frame_size_bytes - FCS_BYTES - len(packet)))


def _choice(tunables: dict[str, str], key: str, allowed: tuple[str, ...]) -> str:
    value = tunables.get(key, allowed[0])
    if value not in allowed:
        raise UsageError(f"tunable {key}={value} is not known; {key} is one of {', '.join(allowed)}")
    return value


def _number(tunables: dict[str, str], key: str, default: int, span: tuple[int, int], other: str = "") -> int:
    text = tunables.get(key, str(default))
    low, high = span
    if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
        words = f"a number from {low} to {high} {other}".rstrip()
        raise UsageError(f"tunable {key}={text} cannot be used; {key} is {words}")
    return int(text)


@dataclass(frozen=True)
class BuiltinProfile:
    """`tunables` are the names that `build` accepts; `packets` describes what is sent."""

    build: Callable[[dict[str, str], int, int], list[STLStream]]
    tunables: tuple[str, ...]
    packets: str


PROFILES = {
    "bench": BuiltinProfile(
        _bench,
        ("size", "vm", "flow", "pg_id", "offset", "ip", "prefixes", "destinations"),
        "UDP 1025 → 12 from 16.0.0.4 to 48.0.0.4",
    ),
    "imix": BuiltinProfile(
        _imix, ("offset",), "28 : 16 : 4 of 64, 594 and 1518 bytes, addresses .1–.254 on both sides"
    ),
    "udp_1pkt_simple": BuiltinProfile(
        _udp_1pkt_simple, ("offset",), "one UDP packet of 64 bytes from 16.0.0.1 to 48.0.0.1"
    ),
    "mpls": BuiltinProfile(
        _mpls,
        ("size", "vm", "label", "labels", "offset"),
        "UDP behind one MPLS label, one flow: label 16 in direction 0, 17 in direction 1",
    ),
}

TUNABLES = {
    "size": "64; 64 to 9216 bytes with FCS; or `imix`: 28 : 16 : 4 of 68, 590 and 1514 bytes",
    "vm": "`none`: one flow. `var1`: source .4–.254. `var2`: source and destination .4–.254 together. `random`: random "
    "source. `tuple`: source address × port 1234–65500. `size`: random frames of 64 to 9216 bytes (needs `--mtu 9198`; "
    "not in `mpls`). `cached`: var1 as 255 packets computed in advance",
    "flow": "`no-fs`: none. `fs`: flow statistics. `fsl`: latency, with one size only",
    "label": "16; the first label of direction 0",
    "labels": "1; N up to 32768: packets have N labels in turn, from `label` on; direction 1 has the N after these",
    "pg_id": "7, or any number; the port's number is added",
    "offset": "0; N up to 65535: both ranges move up by N networks of 24 bits, so 16.0.0.4 becomes 16.0.N.4",
    "ip": "`4`; `6`: from 2001:2::4 to 2001:2:0:8000::4, frames of at least 66 bytes, `vm` none, var1, var2 "
    "or random, `offset` up to 32767 networks of 64 bits",
    "prefixes": "a file with one prefix per line, or `internet`: destinations in those prefixes that are behind the "
    "other side; `vm` none, var1 or var2",
    "destinations": "65536; the number of destinations of `prefixes`",
}
"""Values of each tunable; the first is the default."""
