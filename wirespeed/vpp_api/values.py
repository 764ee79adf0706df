"""Types of VPP's API that are something of their own in Python: addresses and prefixes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any

Address = IPv4Address | IPv6Address
Prefix = IPv4Interface | IPv6Interface
_IP4, _IP6 = 0, 1
_UNION_BYTES = 16


@dataclass(frozen=True)
class Adapter:
    """`pack` makes what struct's `code` takes of a value, a tuple where that is more than one; `unpack` the value."""

    code: str
    zero: Any
    pack: Callable[[Any], Any]
    unpack: Callable[..., Any]


def _pack_mac(mac: str) -> bytes:
    octets = bytes.fromhex(mac.replace(":", ""))
    if len(octets) != 6:
        raise ValueError(f"{mac} is not a MAC address")
    return octets


def _pack_address(address: Address) -> tuple[int, bytes]:
    return (_IP4 if address.version == 4 else _IP6), address.packed


def address_of(family: int, octets: bytes) -> Address:
    """An address from the 16 bytes of the union; ValueError when there is no such family."""
    if family == _IP4:
        return IPv4Address(octets[:4])
    if family == _IP6:
        return IPv6Address(octets)
    raise ValueError(f"there is no address family {family}")


def union_of(address: Address | None) -> bytes:
    """The union's 16 bytes."""
    return (b"" if address is None else address.packed).ljust(_UNION_BYTES, b"\0")


def _pack_prefix(prefix: Prefix | IPv4Network | IPv6Network) -> tuple[int, bytes, int]:
    if isinstance(prefix, (IPv4Network, IPv6Network)):
        return (*_pack_address(prefix.network_address), prefix.prefixlen)
    return (*_pack_address(prefix.ip), prefix.network.prefixlen)


def _unpack_prefix(family: int, octets: bytes, length: int) -> Prefix:
    address = address_of(family, octets)
    return IPv4Interface((address, length)) if isinstance(address, IPv4Address) else IPv6Interface((address, length))


_ANY4, _ANY6 = IPv4Address(0), IPv6Address(0)
ADAPTERS = {
    "mac_address": Adapter("6s", "00:00:00:00:00:00", _pack_mac, lambda octets: octets.hex(":")),
    "ip4_address": Adapter("4s", _ANY4, lambda address: address.packed, IPv4Address),
    "ip6_address": Adapter("16s", _ANY6, lambda address: address.packed, IPv6Address),
    "address": Adapter("B16s", _ANY4, _pack_address, address_of),
    "prefix": Adapter("B16sB", IPv4Interface("0.0.0.0/0"), _pack_prefix, _unpack_prefix),
    "ip4_prefix": Adapter(
        "4sB",
        IPv4Interface("0.0.0.0/0"),
        lambda prefix: (prefix.ip.packed, prefix.network.prefixlen),
        lambda octets, length: IPv4Interface((octets, length)),
    ),
    "ip6_prefix": Adapter(
        "16sB",
        IPv6Interface("::/0"),
        lambda prefix: (prefix.ip.packed, prefix.network.prefixlen),
        lambda octets, length: IPv6Interface((octets, length)),
    ),
}
"""By the type's name. An unused prefix is one of length 0."""
