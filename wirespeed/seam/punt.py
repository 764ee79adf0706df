"""What the control plane asks of the data plane about policers of what is handed to Linux and to the main thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class PuntReason(IntEnum):
    """What a packet is that is handed over."""

    ARP = 0
    ND = 1
    LACP = 2
    ROUTING = 3
    ICMP = 4
    MULTICAST = 5
    IP4 = 6
    IP6 = 7
    OTHER = 8


@dataclass(frozen=True, slots=True)
class PuntPolicer:
    """Of one reason, on each worker: packets a second and at once; what passed and what did not, since it was set."""

    rate_pps: int
    burst: int
    passed: int = 0
    dropped: int = 0


class PuntCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`; `interface` is None for all interfaces together."""

    def set_punt_policer(self, interface: int | None, reason: PuntReason, policer: PuntPolicer | None) -> None:
        """None: as many as come. The counts of `policer` are of no account."""

    def punt_policer(self, interface: int | None, reason: PuntReason) -> PuntPolicer | None: ...
