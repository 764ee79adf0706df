"""A port as a host of its network: its addresses, and the frames by which it is found and finds others. Pure.

ARP (RFC 826), ICMP echo (RFC 792), neighbor discovery (RFC 4861) and ICMPv6 echo (RFC 4443), in up to two VLAN tags.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

_BROADCAST = b"\xff" * 6
_ARP, _IP4, _IP6 = 0x0806, 0x0800, 0x86DD
_VLAN, _OUTER_VLAN = 0x8100, 0x88A8
_ETHERNET_IP4 = struct.pack(">HHBB", 1, _IP4, 6, 4)
_ARP_BYTES = 28
_REQUEST, _REPLY = 1, 2
_ICMP, _ICMP6 = 1, 58
_ECHO, _ECHO_REPLY = 8, 0
_ECHO6, _ECHO6_REPLY, _SOLICIT, _ADVERTISE = 128, 129, 135, 136
_SOLICITED_AND_OVERRIDE = 0x6000_0000
_MIN_PACKET_BYTES = 60


@dataclass(frozen=True)
class Host:
    """`ip4` and `gateway` in layer 3 mode, `ip6` where IPv6 is on; `vlan` tags stand outermost first. `tags` are the
    VLAN headers of its frames where they are not the usual ones of `vlan`: other types, priorities."""

    mac: bytes
    vlan: tuple[int, ...] = ()
    ip4: IPv4Address | None = None
    gateway: IPv4Address | None = None
    ip6: tuple[IPv6Address, ...] = ()
    gateway6: IPv6Address | None = None
    tags: bytes = b""

    @property
    def listens(self) -> bool:
        return self.ip4 is not None or bool(self.ip6)


@dataclass(frozen=True)
class _Frame:
    src: bytes
    vlan: tuple[int, ...]
    kind: int
    payload: bytes


def arp_request(host: Host) -> bytes:
    """ARP request for the gateway's address."""
    assert host.ip4 is not None and host.gateway is not None
    body = struct.pack(">H", _REQUEST) + host.mac + host.ip4.packed + bytes(6) + host.gateway.packed
    return _framed(host, _BROADCAST, _ARP, _ETHERNET_IP4 + body)


def gateway_mac(host: Host, packet: bytes) -> bytes | None:
    """The gateway's MAC address, if this frame is ARP that tells it."""
    frame = _parsed(host, packet)
    if frame is None or host.gateway is None or not _is_arp(frame):
        return None
    sender_mac, sender = frame.payload[8:14], frame.payload[14:18]
    return sender_mac if sender == host.gateway.packed and not sender_mac[0] & 1 else None


def solicitation(host: Host) -> bytes:
    """Neighbor solicitation for the IPv6 gateway's address (RFC 4861, section 4.3)."""
    assert host.ip6 and host.gateway6 is not None
    wanted = host.gateway6.packed
    group = b"\xff\x02" + bytes(9) + b"\x01\xff" + wanted[13:]
    body = bytes(4) + wanted + b"\x01\x01" + host.mac
    return _icmp6(host, b"\x33\x33" + group[12:], host.ip6[0].packed, group, bytes([_SOLICIT, 0]), body)


def gateway6_mac(host: Host, packet: bytes) -> bytes | None:
    """The IPv6 gateway's MAC address, if this frame is an advertisement of it."""
    frame = _parsed(host, packet)
    if frame is None or host.gateway6 is None or frame.kind != _IP6:
        return None
    message = _icmp6_message(frame)
    if len(message) < 24 or message[0] != _ADVERTISE or message[8:24] != host.gateway6.packed:
        return None
    mac = message[26:32] if message[24:26] == b"\x02\x01" and len(message) >= 32 else frame.src
    return None if mac[0] & 1 else mac


def asked_address(packet: bytes) -> bytes | None:
    """Address whose MAC address an ARP request or a neighbor solicitation asks for, in any VLAN."""
    at = 12
    while (kind := int.from_bytes(packet[at : at + 2])) in (_VLAN, _OUTER_VLAN) and at < 20:
        at += 4
    payload = packet[at + 2 :]
    if kind == _ARP and len(payload) >= _ARP_BYTES and int.from_bytes(payload[6:8]) == _REQUEST:
        return payload[24:28]
    if kind == _IP6 and len(payload) >= 64 and payload[6] == _ICMP6 and payload[40] == _SOLICIT:
        return payload[48:64]
    return None


def answer(host: Host, packet: bytes) -> bytes | None:
    """The port's reply to a frame; None if the frame does not ask for one."""
    frame = _parsed(host, packet)
    if frame is None:
        return None
    match frame.kind:
        case 0x0806:
            return _answer_arp(host, frame)
        case 0x0800:
            return _answer_ping(host, frame)
        case 0x86DD:
            return _answer_ip6(host, frame)
    return None


def _parsed(host: Host, packet: bytes) -> _Frame | None:
    """The frame, if it is meant for this host: by address and by VLAN."""
    dst, src, at = packet[0:6], packet[6:12], 12
    if len(packet) < 14 or (dst != host.mac and not dst[0] & 1) or src == host.mac:
        return None
    tags: list[int] = []
    while (kind := int.from_bytes(packet[at : at + 2])) in (_VLAN, _OUTER_VLAN) and len(tags) < 2:
        tags.append(int.from_bytes(packet[at + 2 : at + 4]) & 0xFFF)
        at += 4
    if tuple(tag for tag in tags if tag) != host.vlan:  # tag 0 carries a priority and no VLAN
        return None
    return _Frame(src, host.vlan, kind, packet[at + 2 :])


def _framed(host: Host, dst: bytes, kind: int, payload: bytes) -> bytes:
    tags = host.tags
    for number, tag in enumerate(() if tags else host.vlan):
        outer = number == 0 and len(host.vlan) > 1
        tags += struct.pack(">HH", _OUTER_VLAN if outer else _VLAN, tag)
    return (dst + host.mac + tags + struct.pack(">H", kind) + payload).ljust(_MIN_PACKET_BYTES, b"\0")


def _is_arp(frame: _Frame) -> bool:
    return frame.kind == _ARP and len(frame.payload) >= _ARP_BYTES and frame.payload[0:6] == _ETHERNET_IP4


def _answer_arp(host: Host, frame: _Frame) -> bytes | None:
    if not _is_arp(frame) or host.ip4 is None:
        return None
    operation = int.from_bytes(frame.payload[6:8])
    sender_mac, sender, target = frame.payload[8:14], frame.payload[14:18], frame.payload[24:28]
    if operation != _REQUEST or target != host.ip4.packed:
        return None
    body = struct.pack(">H", _REPLY) + host.mac + host.ip4.packed + sender_mac + sender
    return _framed(host, sender_mac, _ARP, _ETHERNET_IP4 + body)


def _answer_ping(host: Host, frame: _Frame) -> bytes | None:
    header_bytes = (frame.payload[0] & 15) * 4 if frame.payload else 0
    length = int.from_bytes(frame.payload[2:4])
    packet = frame.payload[:length]
    if host.ip4 is None or not 20 <= header_bytes <= len(packet) - 8 or packet[0] >> 4 != 4 or len(packet) < length:
        return None
    fragmented = int.from_bytes(packet[6:8]) & 0x3FFF
    if packet[9] != _ICMP or fragmented or packet[16:20] != host.ip4.packed or packet[header_bytes] != _ECHO:
        return None
    echo = packet[header_bytes + 4 :]
    icmp = _with_checksum(bytes([_ECHO_REPLY, 0]), echo)
    head = struct.pack(">BBHHHBBH", 0x45, packet[1], 20 + len(icmp), 0, 0, 64, _ICMP, 0)
    addresses = host.ip4.packed + packet[12:16]
    checksum = _checksum(head + addresses)
    return _framed(host, frame.src, _IP4, head[:10] + checksum + addresses + icmp)


def _answer_ip6(host: Host, frame: _Frame) -> bytes | None:
    message = _icmp6_message(frame)
    if len(message) < 8:
        return None
    sender, target = frame.payload[8:24], frame.payload[24:40]
    own = {address.packed for address in host.ip6}
    if message[0] == _ECHO6:
        all_nodes = IPv6Address("ff02::1").packed
        if not own or target not in own | {all_nodes}:
            return None
        source = target if target in own else host.ip6[0].packed
        return _icmp6(host, frame.src, source, sender, bytes([_ECHO6_REPLY, 0]), message[4:])
    if message[0] != _SOLICIT or len(message) < 24 or message[8:24] not in own:
        return None
    wanted = message[8:24]
    if sender == bytes(16):  # somebody tries whether the address is free
        all_nodes = IPv6Address("ff02::1").packed
        body = struct.pack(">I", _SOLICITED_AND_OVERRIDE & ~0x4000_0000) + wanted + b"\x02\x01" + host.mac
        return _icmp6(host, b"\x33\x33\0\0\0\x01", wanted, all_nodes, bytes([_ADVERTISE, 0]), body)
    body = struct.pack(">I", _SOLICITED_AND_OVERRIDE) + wanted + b"\x02\x01" + host.mac
    return _icmp6(host, frame.src, wanted, sender, bytes([_ADVERTISE, 0]), body)


def _icmp6_message(frame: _Frame) -> bytes:
    """Data after the IPv6 header; empty if it is not ICMPv6, or truncated."""
    length = int.from_bytes(frame.payload[4:6])
    if len(frame.payload) < 40 + length or frame.payload[6] != _ICMP6:
        return b""
    return frame.payload[40 : 40 + length]


def _icmp6(host: Host, dst_mac: bytes, src: bytes, dst: bytes, kind: bytes, body: bytes) -> bytes:
    length = 4 + len(body)
    message = _with_checksum(kind, body, pseudo=src + dst + struct.pack(">II", length, _ICMP6))
    return _framed(host, dst_mac, _IP6, struct.pack(">IHBB", 6 << 28, length, _ICMP6, 255) + src + dst + message)


def _with_checksum(kind: bytes, body: bytes, pseudo: bytes = b"") -> bytes:
    return kind + _checksum(pseudo + kind + b"\0\0" + body) + body


def _checksum(data: bytes) -> bytes:
    """The Internet checksum (RFC 1071)."""
    padded = data + b"\0" * (len(data) % 2)
    total = sum(word for (word,) in struct.iter_unpack(">H", padded))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack(">H", ~total & 0xFFFF)
