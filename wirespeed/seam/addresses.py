"""Addresses and networks of both IP versions."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network

Address = IPv4Address | IPv6Address


Network = IPv4Network | IPv6Network


InterfaceAddress = IPv4Interface | IPv6Interface
"""An address with the length of its network's prefix."""
