"""Interface of the data plane for bonds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class BondMode(IntEnum):
    """Numbered as in VPP's API."""

    ROUND_ROBIN = 1
    ACTIVE_BACKUP = 2
    XOR = 3
    BROADCAST = 4
    LACP = 5


class BondBalance(IntEnum):
    """Fields by which flows are distributed, in the modes xor and lacp."""

    L2 = 0
    L34 = 1
    L23 = 2


BALANCED = (BondMode.XOR, BondMode.LACP)


@dataclass(frozen=True)
class Bond:
    """`id` is the number in its name; without a `mac` it has that of its first member. Members are interfaces' numbers,
    in the order that they came in; the active ones send."""

    id: int
    mode: BondMode
    balance: BondBalance = BondBalance.L2
    mac: str | None = None
    members: tuple[int, ...] = ()
    active: tuple[int, ...] = ()


class LacpReceive(IntEnum):
    DISABLED = 0
    EXPIRED = 1
    DEFAULTED = 2
    CURRENT = 3


class LacpPeriodic(IntEnum):
    NONE = 0
    FAST = 1
    SLOW = 2


class LacpMux(IntEnum):
    DETACHED = 0
    WAITING = 1
    ATTACHED = 2
    COLLECTING = 3
    DISTRIBUTING = 4


@dataclass(frozen=True)
class LacpParty:
    """A port as reported by its system; `state` has the bits of IEEE 802.1AX clause 5.4.2.2."""

    system_priority: int
    system: str
    key: int
    port_priority: int
    port: int
    state: int


@dataclass(frozen=True)
class LacpPort:
    """`received` and `sent` are LACPDUs."""

    actor: LacpParty
    partner: LacpParty
    receive: LacpReceive
    periodic: LacpPeriodic
    mux: LacpMux
    received: int
    sent: int


@dataclass(frozen=True)
class BondMember:
    """`lacp` is None in the other modes."""

    bond: int
    is_passive: bool = False
    is_long_timeout: bool = False
    is_active: bool = False
    lacp: LacpPort | None = None
