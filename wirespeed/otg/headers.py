"""The protocol headers that flows can have: each field's place in the header and in scapy's layer. Tables, no code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirespeed.otg.patterns import Kind
from wirespeed.scapy_layers import ARP, GRE, ICMP, IP, MPLS, TCP, UDP, VXLAN, Dot1Q, Ether, ICMPv6EchoRequest, IPv6


@dataclass(frozen=True)
class HeaderField:
    """`bit` counts from the header's begin. `default` None leaves the field to scapy, which works it out; `shift` is
    the place within scapy's field of several of the model's."""

    name: str
    bit: int
    bits: int
    default: int | None = 0
    kind: Kind = "number"
    shift: int = 0


@dataclass(frozen=True)
class PacketHeader:
    """`fields` by their path in the model; `within` names the member that contains them, if there is a choice.

    `length` is the bit of the length field, which counts from `length_from` bytes into the header."""

    layer: Any
    size_bytes: int
    fields: dict[str, HeaderField]
    within: str = ""
    length: int | None = None
    length_from: int = 0


_F = HeaderField

_TCP_FLAGS = ("ctl_fin", "ctl_syn", "ctl_rst", "ctl_psh", "ctl_ack", "ctl_urg", "ecn_echo", "ecn_cwr", "ecn_ns")

_ECHO = {
    "checksum": _F("chksum", 16, 16, None),
    "identifier": _F("id", 32, 16),
    "sequence_number": _F("seq", 48, 16),
}
_ECHO6 = {
    "checksum": _F("cksum", 16, 16, None),
    "identifier": _F("id", 32, 16),
    "sequence_number": _F("seq", 48, 16),
}

HEADERS: dict[str, PacketHeader] = {
    "ethernet": PacketHeader(
        Ether,
        14,
        {
            "dst": _F("dst", 0, 48, kind="mac"),
            "src": _F("src", 48, 48, kind="mac"),
            "ether_type": _F("type", 96, 16, None),
        },
    ),
    "vlan": PacketHeader(
        Dot1Q,
        4,
        {
            "priority": _F("prio", 0, 3),
            "cfi": _F("dei", 3, 1),
            "id": _F("vlan", 4, 12),
        },
    ),
    "mpls": PacketHeader(
        MPLS,
        4,
        {
            "label": _F("label", 0, 20, 16),
            "traffic_class": _F("cos", 20, 3),
            "bottom_of_stack": _F("s", 23, 1, None),
            "time_to_live": _F("ttl", 24, 8, 64),
        },
    ),
    "ipv4": PacketHeader(
        IP,
        20,
        {
            "version": _F("version", 0, 4, None),
            "header_length": _F("ihl", 4, 4, None),
            "priority.raw": _F("tos", 8, 8),
            "priority.tos.precedence": _F("tos", 8, 3, shift=5),
            "priority.tos.delay": _F("tos", 11, 1, shift=4),
            "priority.tos.throughput": _F("tos", 12, 1, shift=3),
            "priority.tos.reliability": _F("tos", 13, 1, shift=2),
            "priority.tos.monetary": _F("tos", 14, 1, shift=1),
            "priority.tos.unused": _F("tos", 15, 1),
            "priority.dscp.phb": _F("tos", 8, 6, shift=2),
            "priority.dscp.ecn": _F("tos", 14, 2),
            "total_length": _F("len", 16, 16, None),
            "identification": _F("id", 32, 16),
            "reserved": _F("flags", 48, 1, shift=2),
            "dont_fragment": _F("flags", 49, 1, shift=1),
            "more_fragments": _F("flags", 50, 1),
            "fragment_offset": _F("frag", 51, 13),
            "time_to_live": _F("ttl", 64, 8, 64),
            "protocol": _F("proto", 72, 8, None),
            "header_checksum": _F("chksum", 80, 16, None),
            "src": _F("src", 96, 32, kind="ipv4"),
            "dst": _F("dst", 128, 32, kind="ipv4"),
        },
        length=16,
    ),
    "ipv6": PacketHeader(
        IPv6,
        40,
        {
            "version": _F("version", 0, 4, None),
            "traffic_class": _F("tc", 4, 8),
            "flow_label": _F("fl", 12, 20),
            "payload_length": _F("plen", 32, 16, None),
            "next_header": _F("nh", 48, 8, None),
            "hop_limit": _F("hlim", 56, 8, 64),
            "src": _F("src", 64, 128, kind="ipv6"),
            "dst": _F("dst", 192, 128, kind="ipv6"),
        },
        length=32,
        length_from=40,
    ),
    "arp": PacketHeader(
        ARP,
        28,
        {
            "hardware_type": _F("hwtype", 0, 16, 1),
            "protocol_type": _F("ptype", 16, 16, 0x0800),
            "hardware_length": _F("hwlen", 32, 8, 6),
            "protocol_length": _F("plen", 40, 8, 4),
            "operation": _F("op", 48, 16, 1),
            "sender_hardware_addr": _F("hwsrc", 64, 48, kind="mac"),
            "sender_protocol_addr": _F("psrc", 112, 32, kind="ipv4"),
            "target_hardware_addr": _F("hwdst", 144, 48, kind="mac"),
            "target_protocol_addr": _F("pdst", 192, 32, kind="ipv4"),
        },
    ),
    "gre": PacketHeader(GRE, 4, {"version": _F("version", 13, 3), "protocol": _F("proto", 16, 16, None)}),
    "udp": PacketHeader(
        UDP,
        8,
        {
            "src_port": _F("sport", 0, 16),
            "dst_port": _F("dport", 16, 16),
            "length": _F("len", 32, 16, None),
            "checksum": _F("chksum", 48, 16, None),
        },
        length=32,
    ),
    "tcp": PacketHeader(
        TCP,
        20,
        {
            "src_port": _F("sport", 0, 16),
            "dst_port": _F("dport", 16, 16),
            "seq_num": _F("seq", 32, 32),
            "ack_num": _F("ack", 64, 32),
            "data_offset": _F("dataofs", 96, 4, None),
            "window": _F("window", 112, 16),
            "checksum": _F("chksum", 128, 16, None),
            **{name: _F("flags", 111 - place, 1, shift=place) for place, name in enumerate(_TCP_FLAGS)},
        },
    ),
    "icmp": PacketHeader(ICMP, 8, {"type": _F("type", 0, 8, 8), "code": _F("code", 8, 8), **_ECHO}, within="echo"),
    "icmpv6": PacketHeader(
        ICMPv6EchoRequest, 8, {"type": _F("type", 0, 8, 128), "code": _F("code", 8, 8), **_ECHO6}, within="echo"
    ),
    "vxlan": PacketHeader(
        VXLAN,
        8,
        {
            "flags": _F("flags", 0, 8, 8),
            "reserved0": _F("reserved1", 8, 24),
            "vni": _F("vni", 32, 24),
            "reserved1": _F("reserved2", 56, 8),
        },
    ),
}

SUPPORTED = (*HEADERS, "custom")
