"""IPv6 on interfaces, silent neighbors and pings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network


@dataclass(frozen=True)
class AdvertisedPrefix:
    """RFC 4861 section 4.6.2; the preferred lifetime is at most the valid one."""

    prefix: IPv6Network
    valid_s: int = 2_592_000
    preferred_s: int = 604_800
    on_link: bool = True
    autonomous: bool = True


@dataclass(frozen=True)
class Advertising:
    """Router advertisements of an interface: its own prefixes; `prefixes` are in addition or replace them."""

    is_on: bool = False
    managed: bool = False
    other: bool = False
    lifetime_s: int = 1800
    min_interval_s: int = 200
    max_interval_s: int = 600
    prefixes: tuple[AdvertisedPrefix, ...] = ()


@dataclass(frozen=True)
class Ip6Interface:
    """`link_local` is None while IPv6 is not enabled, by command or by an address."""

    link_local: IPv6Address | None = None
    advertising: Advertising = Advertising()


@dataclass(frozen=True)
class EchoReply:
    """`length` is that of the ICMP message, `tsc` the time of its arrival."""

    source: IPv4Address | IPv6Address
    sequence: int
    length: int
    ttl: int
    tsc: int


class DadState(IntEnum):
    """State of an interface's address (RFC 4862 section 5.4); the router uses an address only after the check."""

    USED = 0
    TENTATIVE = 1
    DUPLICATE = 2


@dataclass(frozen=True)
class DadConflict:
    """Another station has, or claims, an address of an interface."""

    interface: int
    address: IPv4Address | IPv6Address
    mac: str
