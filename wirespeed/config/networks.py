"""The network of an address, which the planner asks for again and again."""

from __future__ import annotations

import functools
from ipaddress import IPv4Network, IPv6Network, ip_interface

Network = IPv4Network | IPv6Network


@functools.lru_cache(maxsize=65_536)
def network_of(address: str) -> Network:
    """The network of an address with its length."""
    return ip_interface(address).network
