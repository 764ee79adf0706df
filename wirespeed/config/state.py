"""State of a router of VPP's kind: a value. None means that a setting is not given, or is left as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class InterfaceType(StrEnum):
    PORT = "port"
    BOND = "bond"
    LOOPBACK = "loopback"
    TAP = "tap"
    VXLAN = "vxlan"
    SUB = "sub-interface"


HARDWARE = frozenset({InterfaceType.PORT, InterfaceType.TAP})
"""Kinds that have an MTU of the link besides that of packets. VPP refuses a bond's (-126, unsupported)."""
PORT_MTU = 9000
"""MTU of a port without a configuration, in bytes."""
TUNNEL_MTU = 1500
"""MTU of a VXLAN tunnel, in bytes."""


@dataclass(frozen=True, slots=True)
class Encapsulation:
    """`inner` 0: one tag. `exact`: frames with further tags are others'."""

    outer: int
    inner: int = 0
    dot1ad: bool = False
    exact: bool = True

    @property
    def tags(self) -> int:
        return 2 if self.inner else 1


@dataclass(frozen=True, slots=True)
class BondState:
    mode: str
    load_balance: str | None


@dataclass(frozen=True, slots=True)
class Vxlan:
    local: str
    remote: str
    vni: int


@dataclass(frozen=True, slots=True)
class TapState:
    """Linux's end, and the rings between."""

    host_name: str
    host_mac: str | None = None
    host_mtu: int | None = None
    bridge: str | None = None
    namespace: str | None = None
    rx_ring: int | None = None
    tx_ring: int | None = None


@dataclass(frozen=True, slots=True)
class TagRewriteState:
    """VLAN tags of frames that come in: how many are taken off, and which are put on then, as 802.1ad or 802.1Q."""

    pop: int = 0
    push: tuple[int, ...] = ()
    dot1ad: bool = False


@dataclass(frozen=True, slots=True)
class InterfaceState:
    """`rewrite` is what layer 2 makes of a frame's VLAN tags. `bond_of` is the bond that a port is a
    member of, `lcp` the name that Linux has it by, in a network namespace. Addresses are in order, canonical, with
    their length. `mac` is a port's own: None while a bond lends it another."""

    name: str
    kind: InterfaceType
    up: bool = False
    link_mtu: int | None = None
    mtu: int | None = None
    mac: str | None = None
    addresses: tuple[str, ...] = ()
    unnumbered: str | None = None
    lcp: str | None = None
    lcp_namespace: str | None = None
    mpls: bool = False
    sflow: bool = False
    bridge: int | None = None
    is_bvi: bool = False
    xconnect: str | None = None
    rewrite: TagRewriteState = TagRewriteState()
    bond_of: str | None = None
    parent: str | None = None
    sub_id: int = 0
    encapsulation: Encapsulation | None = None
    bond: BondState | None = None
    vxlan: Vxlan | None = None
    tap: TapState | None = None

    @property
    def is_layer2(self) -> bool:
        """Frames that it receives are switched: a bridge domain's member but for its BVI, or cross-connected."""
        return (self.bridge is not None and not self.is_bvi) or self.xconnect is not None


@dataclass(frozen=True, slots=True)
class Bridge:
    """`mac_age` in minutes; 0: stations are never forgotten."""

    learn: bool = True
    flood: bool = True
    uu_flood: bool = True
    forward: bool = True
    arp_term: bool = False
    arp_ufwd: bool = False
    mac_age: int = 0


@dataclass(frozen=True, slots=True)
class AclRuleState:
    """Prefixes of one family; ports, or of ICMP types and codes, from the first to the last; `protocol` 0 is any."""

    action: str
    source: str
    destination: str
    protocol: int = 0
    source_ports: tuple[int, int] = (0, 65535)
    destination_ports: tuple[int, int] = (0, 65535)


@dataclass(frozen=True, slots=True)
class AclState:
    """`index` is the router's own number for it, None while it has none."""

    rules: tuple[AclRuleState, ...]
    index: int | None = None


@dataclass(frozen=True, slots=True)
class SflowState:
    header_bytes: int = 128
    polling_interval: int = 20
    sampling_rate: int = 10000


@dataclass(frozen=True)
class RouterState:
    """All of one router. `reserved` are interfaces that are not the user's, such as Linux's side of a pair; `sflow`
    None: as it is at first."""

    interfaces: Mapping[str, InterfaceState] = field(default_factory=dict)
    bridges: Mapping[int, Bridge] = field(default_factory=dict)
    acls: Mapping[str, AclState] = field(default_factory=dict)
    sflow: SflowState | None = None
    reserved: frozenset[str] = frozenset()
