"""IP addresses and prefixes of either family, to and from the structs of the seam."""

from __future__ import annotations

import functools
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any

from wirespeed.seam.addresses import Address, InterfaceAddress, Network


def address_struct(ffi: Any, address: Address) -> Any:
    """A `struct ws_address`, to be passed by value or assigned."""
    return ffi.new("struct ws_address *", (address.version, address.packed))[0]


def prefix_struct(ffi: Any, address: Address, length: int) -> Any:
    """A `struct ws_prefix`, host bits as they are."""
    return ffi.new("struct ws_prefix *", ((address.version, address.packed), length))[0]


def read_address(struct: Any) -> Address:
    return _address(struct.family, bytes(struct.bytes))


@functools.lru_cache(maxsize=4096)
def _address(family: int, data: bytes) -> Address:
    return IPv4Address(data[:4]) if family == 4 else IPv6Address(data)


def read_prefix(struct: Any) -> InterfaceAddress:
    """An interface's own address."""
    address = read_address(struct.address)
    if isinstance(address, IPv4Address):
        return IPv4Interface((address, struct.length))
    return IPv6Interface((address, struct.length))


def network_of(struct: Any) -> Network:
    """A route's prefix, which has no host bits."""
    data = bytes(struct.address.bytes)
    if struct.address.family == 4:
        return IPv4Network((data[:4], struct.length))
    return IPv6Network((data, struct.length))
