"""Functions and classes that T-Rex's star import gives a profile beside streams and packets, under T-Rex's names."""

from __future__ import annotations

import getpass
import ipaddress
import random
import re
import string
import time
from collections.abc import Iterable, Iterator
from typing import Any

from wirespeed.profiles.addresses import is_valid_ipv6
from wirespeed.profiles.instructions import STLError
from wirespeed.units import L1_OVERHEAD_BYTES

_LOW_64 = (1 << 64) - 1


class TRexArgumentError(STLError):
    """An argument without sense."""


class TRexTypeError(STLError):
    """An argument of a wrong type."""


class TRexTimeoutError(STLError):
    """Something took too long."""


class CTRexPacketBuildException(STLError):
    """A packet or a field program that cannot be made."""


# ---- IPv6


def int2ipv6(a: int, b: int) -> str:
    """The address out of its upper and its lower eight bytes."""
    return str(ipaddress.IPv6Address(a << 64 | b))


def ipv62int(ip: str) -> tuple[int, int]:
    whole = int(ipaddress.IPv6Address(ip))
    return whole >> 64, whole & _LOW_64


def increase_ipv6(ipv6: str, val: int = 1) -> str:
    """Only the lower eight bytes count up."""
    upper, lower = ipv62int(ipv6)
    return int2ipv6(upper, (lower + val) & _LOW_64)


def compress_ipv6(ipv6_addr: str) -> str:
    return str(ipaddress.IPv6Address(ipv6_addr))


def generate_ipv6(mac_str: str, prefix: str = "fe80") -> str:
    """The address that a host makes out of its MAC address (RFC 4291, appendix A)."""
    mac = bytes.fromhex(mac_str.replace(":", ""))
    own = bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:]
    return compress_ipv6(f"{prefix}::{own.hex(':', 2)}")


def generate_ipv6_solicited_node(ipv6: str) -> str:
    """The multicast group that is asked for an address (RFC 4291, 2.7.1)."""
    group = int(ipaddress.IPv6Address("ff02::1:ff00:0")) | (ipv62int(ipv6)[1] & 0xFF_FFFF)
    return str(ipaddress.IPv6Address(group))


def multicast_mac_from_ipv6(ipv6: str) -> str:
    """RFC 2464, section 7."""
    return (b"\x33\x33" + ipaddress.IPv6Address(ipv6).packed[-4:]).hex(":")


def is_valid_ipv6_ret(ipv6_addr: str | bytes) -> bytes:
    """The sixteen bytes of an address; STLError when it is none."""
    if isinstance(ipv6_addr, bytes) and len(ipv6_addr) == 16:
        return ipv6_addr
    if not isinstance(ipv6_addr, str) or not is_valid_ipv6(ipv6_addr):
        raise STLError(f"{ipv6_addr!r} is not an IPv6 address")
    return ipaddress.IPv6Address(ipv6_addr).packed


# ---- bytes and numbers


def str2ip(text: bytes) -> str:
    """An IPv4 address out of its four bytes."""
    return str(ipaddress.IPv4Address(text))


def str2int(text: bytes) -> int:
    return int.from_bytes(text, "big")


def int2str(number: int, size: int) -> bytes:
    return number.to_bytes(size, "big")


def str2bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def safe_ord(char: str | int) -> int:
    return char if isinstance(char, int) else ord(char)


orb = safe_ord


def is_integer(arg: object) -> bool:
    return isinstance(arg, int)


def try_int(text: Any) -> Any:
    """The number, or what was given where it is none."""
    try:
        return int(text)
    except ValueError:
        return text


def get_number(text: Any) -> Any:
    """The number, whole or not; None where it is none."""
    for kind in (int, float):
        try:
            return kind(text)
        except (TypeError, ValueError):
            continue
    return None


def round_float(value: Any) -> Any:
    """To two digits behind the point, whatever holds the floats."""
    if isinstance(value, dict):
        return {key: round_float(member) for key, member in value.items()}
    return round(value, 2) if isinstance(value, float) else value


def sec_split_usec(seconds: float) -> tuple[int, int]:
    return int(seconds), int((seconds - int(seconds)) * 1e6)


def calc_bps_L1(bps: float, pps: float) -> float:  # noqa: N802 - T-Rex's name
    """Layer 1 bits a second out of those of layer 2."""
    return bps + pps * L1_OVERHEAD_BYTES * 8


def bitfield_to_list(bitfield: int) -> list[int]:
    return [bit for bit in range(bitfield.bit_length()) if bitfield >> bit & 1]


def bitfield_to_str(bitfield: int) -> str:
    return ", ".join(map(str, bitfield_to_list(bitfield))) or "-"


# ---- lists


def listify(x: Any) -> list[Any]:
    if isinstance(x, list | tuple):
        return list(x)
    return [x]


def listify_if_int(x: Any) -> Any:
    return [x] if isinstance(x, int) else x


def list_intersect(l1: Iterable[Any], l2: Iterable[Any]) -> list[Any]:
    return [one for one in l1 if one in l2]


def list_difference(l1: Iterable[Any], l2: Iterable[Any]) -> list[Any]:
    return [one for one in l1 if one not in l2]


def list_xor(l1: Iterable[Any], l2: Iterable[Any]) -> list[Any]:
    return list(set(l1) ^ set(l2))


def list_remove_dup(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def is_sub_list(l1: Iterable[Any], l2: Iterable[Any]) -> bool:
    return set(l1) <= set(l2)


def has_dup(values: Iterable[Any]) -> bool:
    listed = list(values)
    return len(set(listed)) != len(listed)


def all_none(values: Iterable[Any]) -> bool:
    return all(one is None for one in values)


def filter_none(values: Iterable[Any]) -> Iterator[Any]:
    return filter(None, values)


def natural_sorted_key(text: str) -> list[int | str]:
    """For sorting so that `a10` comes behind `a9`."""
    return [int(part) if part.isdigit() else part.lower() for part in re.split(r"(\d+)", text)]


def parse_ports_from_profiles(profiles: Iterable[Any]) -> list[int]:
    """The port numbers of `0.name`, each once."""
    return list_remove_dup(int(str(one).partition(".")[0]) for one in profiles)


# ---- checks


def validate_type(arg_name: str, arg: object, valid_types: type | tuple[type, ...]) -> None:
    if not isinstance(arg, valid_types):
        raise STLError(f"{arg_name} is {arg!r}, a {type(arg).__name__}; expecting {valid_types}")


def verify_exclusive_arg(args: Iterable[Any]) -> None:
    if sum(one is not None for one in args) != 1:
        raise STLError("give exactly one of these arguments")


# ---- people and time


def get_current_user() -> str:
    return getpass.getuser()


def user_input() -> str:
    return input()


def random_id_gen(length: int = 8) -> Iterator[str]:
    """Identifiers without end."""
    while True:
        yield "".join(random.choices(string.ascii_letters + string.digits, k=length))


class PassiveTimer:
    """`has_expired` tells whether so many seconds have passed; None never do."""

    def __init__(self, timeout_sec: float | None = None) -> None:
        self._ends_at_s = None if timeout_sec is None else time.monotonic() + timeout_sec

    def has_expired(self) -> bool:
        return self._ends_at_s is not None and time.monotonic() > self._ends_at_s


# ---- field programs of the first style


class CTRexScriptsBase:
    """What old field programs list beside instructions."""


class CTRexScFieldRangeBase(CTRexScriptsBase):
    KINDS = ("inc", "dec", "rand")

    def __init__(self, field_name: str, field_type: str) -> None:
        if field_type not in self.KINDS:
            raise STLError(f"field type {field_type!r}; give one of {', '.join(self.KINDS)}")
        self.field_name, self.field_type = field_name, field_type


class CTRexScFieldRangeValue(CTRexScFieldRangeBase):
    def __init__(self, field_name: str, field_type: str, min_value: int, max_value: int) -> None:
        super().__init__(field_name, field_type)
        if min_value > max_value:
            raise STLError(f"min value {min_value} is above max value {max_value}")
        self.min_value, self.max_value = min_value, max_value


class CTRexScIpv4SimpleRange(CTRexScFieldRangeBase):
    def __init__(self, field_name: str, field_type: str, min_ip: str, max_ip: str) -> None:
        super().__init__(field_name, field_type)
        if ipaddress.IPv4Address(min_ip) > ipaddress.IPv4Address(max_ip):
            raise STLError(f"min IP {min_ip} is above max IP {max_ip}")
        self.min_ip, self.max_ip = min_ip, max_ip


class CTRexScIpv4TupleGen(CTRexScriptsBase):
    def __init__(
        self,
        min_ipv4: str,
        max_ipv4: str,
        num_flows: int = 100_000,
        min_port: int = 1025,
        max_port: int = 65535,
        flags: int = 0,
    ) -> None:
        self.min_ip, self.max_ip, self.num_flows = min_ipv4, max_ipv4, num_flows
        self.min_port, self.max_port, self.flags = min_port, max_port, flags


class CTRexScTrimPacketSize(CTRexScriptsBase):
    def __init__(
        self, field_type: str = "rand", min_pkt_size: int | None = None, max_pkt_size: int | None = None
    ) -> None:
        self.field_type, self.min_pkt_size, self.max_pkt_size = field_type, min_pkt_size, max_pkt_size
