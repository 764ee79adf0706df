"""Interfaces of the router, their modes and their layer 2 state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from wirespeed.seam.addresses import InterfaceAddress


class Mode(IntEnum):
    L3 = 0
    XCONNECT = 1
    BRIDGE = 2


class InterfaceKind(IntEnum):
    PORT = 0
    SUB = 1
    LOOPBACK = 2
    VXLAN = 3
    BOND = 4


class MtuKind(IntEnum):
    """`L2` is the limit of the port, `L3` that of routed packets; the others are of one protocol each."""

    L2 = 0
    L3 = 1
    IP4 = 2
    IP6 = 3
    MPLS = 4


class RxMode(IntEnum):
    """When a worker sleeps: never, after an empty poll, or after some time without packets. All its queues must
    agree."""

    POLLING = 0
    INTERRUPT = 1
    ADAPTIVE = 2


ANY_VLAN = 4095


@dataclass(frozen=True)
class SubInterface:
    """The frames of the parent that belong to a sub-interface, by VLAN ids or `ANY_VLAN`. `inner` 0: frames with one
    tag. `exact`: without further tags. `outer` 0: frames without tags if `exact`, otherwise tagged frames that no other
    sub-interface takes."""

    id: int
    outer: int
    inner: int = 0
    dot1ad: bool = False
    exact: bool = True


@dataclass(frozen=True)
class TagRewrite:
    """Received frames lose `pop` tags and get `tags`, the first one of 802.1ad if `dot1ad`. Sent frames are rewritten
    in reverse."""

    pop: int = 0
    tags: tuple[int, ...] = ()
    dot1ad: bool = False


@dataclass(frozen=True)
class RouterInterface:
    """`xconnect_to` is an interface number, meaningful in Mode.XCONNECT; `parent` the port of a sub-interface.
    `bridge_domain` is 0 for none; a BVI has one, and is in Mode.L3."""

    name: str
    admin_up: bool
    mtu: int
    mac: str
    mode: Mode
    xconnect_to: int
    addresses: tuple[InterfaceAddress, ...]
    kind: InterfaceKind = InterfaceKind.PORT
    parent: int = 0
    sub: SubInterface | None = None
    link_up: bool = True
    bridge_domain: int = 0
    split_horizon_group: int = 0
    ip4_table: int = 0
    ip6_table: int = 0
    mpls: bool = False
    tag_rewrite: TagRewrite = TagRewrite()
    mtus: tuple[int, ...] = (1500, 1500, 0, 0, 0)
    """By MtuKind; 0 for a protocol without an MTU of its own."""
    unnumbered_of: int | None = None
    """The interface whose addresses this unnumbered interface uses."""

    @property
    def is_bvi(self) -> bool:
        return self.bridge_domain > 0 and self.mode is Mode.L3


@dataclass(frozen=True)
class InterfaceCounters:
    """Summed over workers; bytes are frame bytes without FCS."""

    rx_packets: int = 0
    rx_bytes: int = 0
    tx_packets: int = 0
    tx_bytes: int = 0
    drops: int = 0
    punts: int = 0
    ip4: int = 0
    ip6: int = 0
    mpls: int = 0
    rx_missed: int = 0
    rx_errors: int = 0
    rx_no_buffer: int = 0
    tx_errors: int = 0
