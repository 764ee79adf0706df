"""Addresses as numbers and back, under the names that T-Rex's API gives its profiles."""

from __future__ import annotations

import ipaddress
import re

from wirespeed.profiles.instructions import STLError


def ip2int(ip: str) -> int:
    return int(ipaddress.IPv4Address(ip))


def int2ip(val: int) -> str:
    return str(ipaddress.IPv4Address(val))


def int2mac(val: int) -> str:
    return val.to_bytes(6, "big").hex(":")


def increase_ip(ip_str: str, val: int = 1) -> str:
    return int2ip((ip2int(ip_str) + val) % (1 << 32))


def increase_mac(mac_str: str, val: int = 1) -> str:
    return int2mac((int(mac_str.replace(":", ""), 16) + val) % (1 << 48))


def ipv4_str_to_num(ipv4_buffer: bytes) -> int:
    """A number out of the four bytes of an address, as `is_valid_ipv4_ret` gives them."""
    return int.from_bytes(ipv4_buffer, "big")


mac_str_to_num = ipv4_str_to_num
"""A MAC address, likewise from six bytes."""


def is_valid_ipv4(addr: str) -> bool:
    return _is(ipaddress.IPv4Address, addr)


def is_valid_ipv6(addr: str) -> bool:
    return _is(ipaddress.IPv6Address, addr)


def is_valid_ipv4_ret(ip_addr: str | bytes) -> bytes:
    """The four bytes of an address; STLError when it is none."""
    if isinstance(ip_addr, bytes) and len(ip_addr) == 4:
        return ip_addr
    if not isinstance(ip_addr, str) or not is_valid_ipv4(ip_addr):
        raise STLError(f"{ip_addr!r} is not an IPv4 address; give one such as 192.0.2.1")
    return ipaddress.IPv4Address(ip_addr).packed


def is_valid_mac(mac: str) -> bool:
    return re.fullmatch(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}", mac) is not None


def _is(kind: type[ipaddress.IPv4Address] | type[ipaddress.IPv6Address], text: str) -> bool:
    try:
        kind(text)
    except ValueError:
        return False
    return True


# ---- functions of scapy 2.4.3 that later versions have no more


def str2ip(text: bytes) -> str:
    """An IPv4 address from its four bytes."""
    return str(ipaddress.IPv4Address(text))


def str2int(text: bytes) -> int:
    return int.from_bytes(text, "big")


def int2str(number: int, size: int) -> bytes:
    return number.to_bytes(size, "big")


def str2bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def orb(char: str | int) -> int:
    return char if isinstance(char, int) else ord(char)
