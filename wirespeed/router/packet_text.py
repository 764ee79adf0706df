"""A frame in the words of VPP's packet trace. Frames may be cut anywhere: what is missing is not printed."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address
from struct import unpack_from

_ETHERTYPES = {0x0800: "IP4", 0x0806: "ARP", 0x86DD: "IP6", 0x8100: "802.1q", 0x8847: "MPLS"}
_PROTOCOLS = {1: "ICMP", 2: "IGMP", 6: "TCP", 17: "UDP", 47: "GRE", 50: "ESP", 58: "ICMP6", 89: "OSPF", 132: "SCTP"}
_ICMP_TYPES = {
    0: "echo_reply",
    3: "destination_unreachable",
    4: "source_quench",
    5: "redirect",
    8: "echo_request",
    11: "time_exceeded",
    12: "parameter_problem",
}
_ICMP6_TYPES = {
    1: "destination_unreachable",
    2: "packet_too_big",
    3: "time_exceeded",
    4: "parameter_problem",
    128: "echo_request",
    129: "echo_reply",
    133: "router_solicitation",
    134: "router_advertisement",
    135: "neighbor_solicitation",
    136: "neighbor_advertisement",
    143: "multicast_listener_report_v2",
}
_DSCP = {0: "CS0", 8: "CS1", 16: "CS2", 24: "CS3", 32: "CS4", 40: "CS5", 46: "EF", 48: "CS6", 56: "CS7"}
_ECN = ("NON_ECN", "ECT_1", "ECT_0", "CE")
_FRAGMENT_FLAGS = {0x4000: "DONT_FRAGMENT", 0x2000: "MORE_FRAGMENTS"}
_TCP_FLAGS = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")
_ETHERNET_BYTES = 14


def ethernet_line(frame: bytes) -> str | None:
    """`IP4: 02:ee:00:00:00:00 -> 02:fe:00:00:00:00`, or None for a runt."""
    if len(frame) < _ETHERNET_BYTES:
        return None
    (ethertype,) = unpack_from(">H", frame, 12)
    kind = _ETHERTYPES.get(ethertype, f"{ethertype:#06x}")
    return f"{kind}: {frame[6:12].hex(':')} -> {frame[0:6].hex(':')}"


def payload_lines(frame: bytes) -> Iterator[str]:
    """Lines for the payload of the frame: ARP, or IPv4 or IPv6 with the transport header."""
    if len(frame) < _ETHERNET_BYTES:
        return
    (ethertype,) = unpack_from(">H", frame, 12)
    body = frame[_ETHERNET_BYTES:]
    if ethertype == 0x0800:
        yield from _ip4(body)
    elif ethertype == 0x0806:
        yield from _arp(body)
    elif ethertype == 0x86DD:
        yield from _ip6(body)


def _arp(body: bytes) -> Iterator[str]:
    if len(body) < 28:
        return
    hardware, protocol, hardware_size, protocol_size, operation = unpack_from(">HHBBH", body)
    name = {1: "request", 2: "reply"}.get(operation, f"operation {operation}")
    kinds = f"{'ethernet' if hardware == 1 else hardware}/{_ETHERTYPES.get(protocol, hex(protocol))}"
    yield f"{name}, type {kinds}, address size {hardware_size}/{protocol_size}"
    yield f"{body[8:14].hex(':')}/{IPv4Address(body[14:18])} -> {body[18:24].hex(':')}/{IPv4Address(body[24:28])}"


def _ip4(body: bytes) -> Iterator[str]:
    if len(body) < 20:
        return
    first, tos, length, ident, fragment, ttl, protocol, checksum = unpack_from(">BBHHHBBH", body)
    name = _PROTOCOLS.get(protocol, str(protocol))
    yield f"{name}: {IPv4Address(body[12:16])} -> {IPv4Address(body[16:20])}"
    if first >> 4 != 4:
        yield f"  version {first >> 4}, header length {(first & 15) * 4}"
    dscp = _DSCP.get(tos >> 2, str(tos >> 2))
    yield (f"  tos {tos:#04x}, ttl {ttl}, length {length}, checksum {checksum:#06x} dscp {dscp} ecn {_ECN[tos & 3]}")
    offset = f" offset {(fragment & 0x1FFF) * 8}" if fragment & 0x1FFF else ""
    flags = "".join(f", flags {flag}" for bit, flag in _FRAGMENT_FLAGS.items() if fragment & bit)
    yield f"  fragment id {ident:#06x}{offset}{flags}"
    if not fragment & 0x1FFF:
        yield from _transport(name, body[(first & 15) * 4 :])


def _ip6(body: bytes) -> Iterator[str]:
    """Text of IPv6; extension headers are shown by the first one's number only."""
    if len(body) < 40:
        return
    word, length, following, hop_limit = unpack_from(">IHBB", body)
    name = _PROTOCOLS.get(following, str(following))
    yield f"{name}: {IPv6Address(body[8:24])} -> {IPv6Address(body[24:40])}"
    if word >> 28 != 6:
        yield f"  version {word >> 28}"
    traffic_class, flow = word >> 20 & 0xFF, word & 0xFFFFF
    yield f"  tos {traffic_class:#04x}, flow label {flow:#x}, hop limit {hop_limit}, payload length {length}"
    yield from _transport(name, body[40:])


def _transport(name: str, body: bytes) -> Iterator[str]:
    if name == "UDP" and len(body) >= 8:
        source, target, length, checksum = unpack_from(">HHHH", body)
        yield f"UDP: {source} -> {target}"
        yield f"  length {length}, checksum {checksum:#06x}"
    elif name == "TCP" and len(body) >= 20:
        source, target, sequence, acknowledged, _, flags, window, checksum = unpack_from(">HHIIBBHH", body)
        names = " ".join(flag for bit, flag in enumerate(_TCP_FLAGS) if flags >> bit & 1)
        yield f"TCP: {source} -> {target}"
        yield f"  seq. {sequence} ack {acknowledged}"
        yield f"  flags {flags:#04x} {names}, window {window}, checksum {checksum:#06x}"
    elif name == "ICMP" and len(body) >= 4:
        kind, code, checksum = unpack_from(">BBH", body)
        yield f"ICMP {_ICMP_TYPES.get(kind, f'type {kind}')} code {code} checksum {checksum:#06x}"
    elif name == "ICMP6" and len(body) >= 4:
        kind, code, checksum = unpack_from(">BBH", body)
        yield f"ICMP6 {_ICMP6_TYPES.get(kind, f'type {kind}')} code {code} checksum {checksum:#06x}"
