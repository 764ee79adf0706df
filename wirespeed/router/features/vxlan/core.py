"""Values of VXLAN tunnels."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Address, IPv6Address


class Decap(IntEnum):
    """Payload of a tunnel: frames, or packets without an Ethernet header."""

    L2 = 0
    IP4 = 1
    IP6 = 2


@dataclass(frozen=True)
class VxlanTunnel:
    """`instance` is the number in its name; the other end is looked up, and heard, in table `table`."""

    instance: int
    source: IPv4Address | IPv6Address
    destination: IPv4Address | IPv6Address
    vni: int
    table: int = 0
    decap: Decap = Decap.L2
