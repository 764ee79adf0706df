"""What the control plane asks of the data plane about IPv6 on interfaces, silent neighbors and pings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address, IPv6Network
from typing import Protocol


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
    """Router advertisements of an interface: its own prefixes, and `prefixes` in their place or besides."""

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
    """`length` is that of the ICMP message; `tsc` when it came."""

    source: IPv4Address | IPv6Address
    sequence: int
    length: int
    ttl: int
    tsc: int


class DadState(IntEnum):
    """Of an address that an interface was given (RFC 4862 section 5.4); only one that is used is the router's."""

    USED = 0
    TENTATIVE = 1
    DUPLICATE = 2


@dataclass(frozen=True)
class DadConflict:
    """A station has, or wants, an address that an interface was given."""

    interface: int
    address: IPv4Address | IPv6Address
    mac: str


class Ip6Core(Protocol):
    """A part of `wirespeed.router.core.RouterCore`."""

    def ip6(self, index: int) -> Ip6Interface: ...
    def set_ip6(self, index: int, enabled: bool) -> None: ...
    def set_link_local(self, index: int, address: IPv6Address | None) -> None:
        """None: made of the MAC address."""

    def set_advertising(self, index: int, advertising: Advertising) -> None: ...
    def set_reachable_time(self, version: int, seconds: int) -> None:
        """How long neighbors are taken to be there before they are asked; 0 for ever."""

    def reachable_time(self, version: int) -> int: ...
    def set_announcing(self, version: int, is_on: bool) -> None:
        """Whether addresses are announced when they change and when their interface comes up."""

    def is_announcing(self, version: int) -> bool: ...

    def set_dad(self, index: int | None, transmits: int) -> None:
        """How often it is asked for an address before it is used; 0: never. None: on all interfaces, new ones too."""

    def dad(self, index: int) -> int: ...
    def dad_state(self, index: int, address: IPv6Address) -> DadState: ...
    def dad_conflicts(self) -> Sequence[DadConflict]:
        """Those found since the last call."""

    def echo(self, destination: IPv4Address | IPv6Address, interface: int | None, payload_len: int) -> int:
        """Send a ping; returns its sequence number."""

    def echo_replies(self) -> Sequence[EchoReply]:
        """Those that came since the last call."""
