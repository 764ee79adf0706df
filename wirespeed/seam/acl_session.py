"""What the control plane asks of the data plane about sessions of access lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Protocol


@dataclass(frozen=True)
class AclSessionSettings:
    """How many sessions there may be at a time, and how long each may be idle: those of TCP `tcp_idle_s` while the
    connection stands and `tcp_transient_s` before and after, all others `udp_idle_s`."""

    most: int = 500_000
    udp_idle_s: int = 600
    tcp_idle_s: int = 24 * 60 * 60
    tcp_transient_s: int = 120


@dataclass(frozen=True)
class AclSessionCounters:
    """created = active + expired + deleted. `refused` packets found no room for a session; `hits` passed without
    meeting rules."""

    created: int = 0
    active: int = 0
    expired: int = 0
    deleted: int = 0
    refused: int = 0
    hits: int = 0


@dataclass(frozen=True)
class AclSession:
    """As its first packet was, which left by the interface where `is_output`. Of ICMP the identifier is the source
    port. TCP flags are all that each end has sent."""

    source: IPv4Address | IPv6Address
    destination: IPv4Address | IPv6Address
    source_port: int
    destination_port: int
    interface: int
    is_output: bool
    protocol: int
    source_tcp_flags: int
    destination_tcp_flags: int
    idle_s: int
    timeout_s: int


class AclSessionCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`."""

    def set_acl_sessions(self, settings: AclSessionSettings) -> None:
        """UsageError for another bound once a rule reflects, since the table then has its size."""

    def acl_session_settings(self) -> AclSessionSettings: ...
    def acl_session_counters(self) -> AclSessionCounters: ...
    def acl_interface_sessions(self, index: int) -> tuple[int, int]:
        """How many sessions of the interface have been created and have gone."""

    def acl_sessions(self) -> Sequence[AclSession]:
        """All that live."""

    def clear_acl_sessions(self) -> None: ...
