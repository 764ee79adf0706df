"""Addresses that only programs of this machine reach."""

from __future__ import annotations

from ipaddress import ip_address


def is_loopback(host: str) -> bool:
    """True if only programs of this machine can reach the address `host`. False for a name, which may have any
    address."""
    try:
        return ip_address(host.strip("[]").partition("%")[0]).is_loopback
    except ValueError:
        return host == "localhost"
