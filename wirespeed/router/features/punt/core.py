"""Values of policers of packets to Linux and to the main thread."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class PuntReason(IntEnum):
    """Class of a punted packet."""

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
    """Policer of one reason, on each worker: rate, burst, and packets passed and dropped since it was set."""

    rate_pps: int
    burst: int
    passed: int = 0
    dropped: int = 0
