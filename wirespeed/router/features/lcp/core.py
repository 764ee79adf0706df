"""Linux in one network namespace as the control plane reads it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntFlag

VLAN_PROTOCOL = 0x8100
DOT1AD_PROTOCOL = 0x88A8


class LinuxChange(IntFlag):
    """Changes that a poll found. MORE: there are many more messages to poll."""

    LINKS = 1
    ADDRESSES = 2
    MORE = 4


@dataclass(frozen=True)
class LinuxLink:
    """`parent` and the VLAN's fields are of links of kind vlan."""

    index: int
    name: str
    kind: str
    is_up: bool
    mtu: int
    mac: str
    parent: int = 0
    vlan_id: int = 0
    vlan_protocol: int = 0


@dataclass(frozen=True)
class LinuxStats:
    """Counts of messages from the kernel; `rejection` is the reason why the router rejected the last of `rejected`."""

    messages: int = 0
    overflows: int = 0
    dumps: int = 0
    failed_dumps: int = 0
    rejected: int = 0
    routes: int = 0
    labels: int = 0
    is_syncing: bool = False
    rejection: str = ""
