"""Arguments of T-Rex's HLT streams: their names and defaults, and the values that may be written in several ways."""

from __future__ import annotations

import ipaddress
import re
import sys
from typing import Any

from wirespeed.profiles.instructions import STLError
from wirespeed.units import FCS_BYTES

Arguments = dict[str, Any]

SIZES = ("frame_size", "frame_size_min", "frame_size_max")
"""Given with FCS."""

TOS_WORDS: tuple[dict[str, int], ...] = (
    {"ip_dscp": 2, "ip_cu": 0},
    {"ip_precedence": 5, "ip_tos_field": 1, "ip_mbz": 0},
    {
        "ip_precedence": 5,
        "ip_delay": 4,
        "ip_throughput": 3,
        "ip_reliability": 2,
        "ip_cost": 1,
        "ip_reserved": 0,
    },
)
"""The ways to say the type of service: an argument and the lowest bit of its place; the first one is the default."""

_VARIED = {"mode": "fixed", "step": 1, "count": 1}
_VARIED_PORT = _VARIED | {"mode": "increment"}


def _varied(defaults: Arguments, *names: str) -> Arguments:
    return {f"{name}_{what}": value for name in names for what, value in defaults.items()}


DEFAULTS: Arguments = {
    "mode": None,
    "split_by_cores": "split",
    "load_profile": None,
    "consistent_random": False,
    "ignore_macs": False,
    "disable_flow_stats": False,
    "flow_stats_id": None,
    "pg_id": None,
    "port_handle": None,
    "port_handle2": None,
    "bidirectional": False,
    "transmit_mode": "continuous",
    "rate_pps": None,
    "rate_bps": None,
    "rate_percent": 10,
    "stream_id": None,
    "name": None,
    "direction": 0,
    "pkts_per_burst": 1,
    "burst_loop_count": 1,
    "inter_burst_gap": 12,
    "length_mode": "fixed",
    **{f"l3_imix{number}_size": size for number, size in enumerate((64, 570, 1518, 9230), start=1)},
    **{f"l3_imix{number}_ratio": ratio for number, ratio in enumerate((7, 4, 1, 0), start=1)},
    **dict.fromkeys(SIZES, 64),
    "frame_size_step": 1,
    "l2_encap": "ethernet_ii",
    **dict.fromkeys(("mac_src", "mac_src2"), "00:00:01:00:00:01"),
    **dict.fromkeys(("mac_dst", "mac_dst2"), "00:00:00:00:00:00"),
    **_varied(_VARIED, "mac_src", "mac_dst", "mac_src2", "mac_dst2"),
    "vlan_user_priority": 1,
    "vlan_id": 0,
    "vlan_cfi": 1,
    "vlan_protocol_tag_id": None,
    **_varied(_VARIED, "vlan_priority", "vlan_id"),
    "l3_protocol": None,
    "l3_length": None,
    "l3_length_min": 110,
    "l3_length_max": 238,
    "l3_length_step": 1,
    **{word: 0 for words in TOS_WORDS for word in words},
    "ip_id": 0,
    "ip_fragment_offset": 0,
    "ip_ttl": 64,
    "ip_checksum": None,
    "ip_src_addr": "0.0.0.0",
    "ip_dst_addr": "192.0.0.1",
    **_varied(_VARIED, "ip_src", "ip_dst"),
    "ipv6_traffic_class": 0,
    "ipv6_flow_label": 0,
    "ipv6_length": None,
    "ipv6_next_header": None,
    "ipv6_hop_limit": 64,
    "ipv6_src_addr": "fe80::12",
    "ipv6_dst_addr": "fe80::22",
    **_varied(_VARIED, "ipv6_src", "ipv6_dst"),
    "l4_protocol": None,
    **dict.fromkeys(("tcp_src_port", "udp_src_port"), 1024),
    **dict.fromkeys(("tcp_dst_port", "udp_dst_port"), 80),
    **_varied(_VARIED_PORT, "tcp_src_port", "tcp_dst_port", "udp_src_port", "udp_dst_port"),
    "tcp_seq_num": 1,
    "tcp_ack_num": 1,
    "tcp_data_offset": 5,
    **{f"tcp_{flag}_flag": 0 for flag in ("fin", "syn", "rst", "psh", "ack", "urg")},
    "tcp_window": 4069,
    "tcp_checksum": None,
    "tcp_urgent_ptr": 0,
    "udp_length": None,
}


def complete(given: Arguments) -> Arguments:
    """The arguments with T-Rex's defaults, MAC addresses in one form, sizes without FCS, direction 1 turned round.

    Unknown ones are told of on stderr and left out, as T-Rex does: old scripts carry arguments of other testers.
    """
    for name in given:
        if name not in DEFAULTS:
            print(f"HLT stream: argument {name!r} is not known and ignored", file=sys.stderr)
    arguments = DEFAULTS | {name: value for name, value in given.items() if name in DEFAULTS}
    for name in ("mac_src", "mac_dst", "mac_src2", "mac_dst2"):
        if arguments[name]:
            arguments[name] = mac(arguments[name], name)
    for name in SIZES:
        arguments[name] = integer(arguments, name) - FCS_BYTES
    if arguments["direction"]:
        _turn_round(arguments)
    return arguments


def _turn_round(arguments: Arguments) -> None:
    arguments["mac_src"], arguments["mac_dst"] = arguments["mac_src2"], arguments["mac_dst2"]
    for version in ("ip", "ipv6"):
        for what in ("addr", *_VARIED):
            src, dst = f"{version}_src_{what}", f"{version}_dst_{what}"
            arguments[src], arguments[dst] = arguments[dst], arguments[src]


def integer(arguments: Arguments, name: str, least: int = 0) -> int:
    """A number, also one that is written as text."""
    value = arguments[name]
    try:
        number = int(value, 0) if isinstance(value, str) else int(value)
    except (TypeError, ValueError):
        raise STLError(f"HLT stream: {name}={value!r} is not a number") from None
    if number < least:
        raise STLError(f"HLT stream: {name}={value!r} is too small; it has to be at least {least}")
    return number


def mac(text: Any, name: str) -> str:
    """01:23:45:67:89:10 out of that form, 01-23-45-67-89-10, 0123.4567.8910 or {01 23 45 67 89 10}."""
    digits = re.sub(r"[{}\s:.-]", "", text) if isinstance(text, str) else ""
    if not re.fullmatch(r"[0-9A-Fa-f]{12}", digits):
        raise STLError(
            f"HLT stream: {name}={text!r} is not a MAC address; write 01:23:45:67:89:10, 01-23-45-67-89-10, "
            "0123.4567.8910 or {01 23 45 67 89 10}"
        )
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


def mac_bits(value: Any, name: str) -> int:
    """The lower 32 bits of a MAC address; numbers as they are."""
    return value if isinstance(value, int) else int(mac(value, name).replace(":", "")[4:], 16)


def ipv4_bits(value: Any, name: str) -> int:
    return value if isinstance(value, int) else int(_address(ipaddress.IPv4Address, value, name))


def ipv6_bits(value: Any, name: str) -> int:
    """The lower 32 bits of an IPv6 address; numbers as they are."""
    return value if isinstance(value, int) else int(_address(ipaddress.IPv6Address, value, name)) & 0xFFFF_FFFF


def _address(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], value: Any, name: str) -> Any:
    try:
        return kind(value)
    except ValueError:
        raise STLError(f"HLT stream: {name}={value!r} is not an IPv{kind(0).version} address") from None


def is_true(value: Any) -> bool:
    return str(value).lower() in ("true", "1", "enable", "enabled", "yes", "y")


def listed(value: Any) -> list[Any]:
    """One value a VLAN header: a list, or words in braces."""
    if isinstance(value, str):
        return value.strip("{} ").split()
    return list(value) if isinstance(value, list | tuple) else [value]
