"""Values of unicast reverse path forwarding."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Network, IPv6Network


class UrpfMode(IntEnum):
    """Packets that an interface takes: all, those whose source has a route, or only those whose route leads back
    through that interface. On output, strict means those whose source route does not lead there."""

    OFF = 0
    LOOSE = 1
    STRICT = 2


@dataclass(frozen=True)
class Urpf:
    """Unicast RPF of an interface. If `table` is None, sources are looked up in the interface's own table."""

    mode: UrpfMode = UrpfMode.OFF
    table: int | None = None


@dataclass(frozen=True)
class UrpfAccepted:
    """Sources that pass where the mode is loose, whatever routes their table has."""

    prefix: IPv4Network | IPv6Network
    table: int = 0
