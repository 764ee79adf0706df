"""Values of access lists (ACLs) and of their sessions."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network


class AclAction(IntEnum):
    """Action of a rule for matching packets. REFLECT permits and begins a session: while it lives, its packets pass in
    both directions without being matched against rules (acl_session). If the session table is full, the packet is
    dropped. A packet that cannot begin a session (a later fragment, an ICMP error) is permitted without one."""

    DENY = 0
    PERMIT = 1
    REFLECT = 2

    @property
    def word(self) -> str:
        """VPP's."""
        return ("deny", "permit", "permit+reflect")[self]


@dataclass(frozen=True)
class AclRule:
    """For packets of the family of both prefixes. `protocol` 0 is any; ports are first and last, of ICMP those of type
    and code; TCP flags are compared under their mask."""

    action: AclAction
    source: IPv4Network | IPv6Network
    destination: IPv4Network | IPv6Network
    protocol: int = 0
    source_ports: tuple[int, int] = (0, 65535)
    destination_ports: tuple[int, int] = (0, 65535)
    tcp_flags_value: int = 0
    tcp_flags_mask: int = 0


@dataclass(frozen=True)
class AclCount:
    """Packets that a rule has decided on since it was set; bytes without FCS, with the headers that the packet has at
    that point."""

    packets: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Acl:
    index: int
    tag: str
    rules: tuple[AclRule, ...]
    counts: tuple[AclCount, ...] = field(compare=False, default=())


class AclOutcome(IntEnum):
    """Outcome of an ACL node for a packet. RULE, NEW_SESSION and NO_ROOM are of a matching rule: it decided alone, it
    began a session, or it dropped the packet because the session table is full."""

    RULE = 1
    NEW_SESSION = 2
    NO_ROOM = 3
    SESSION = 4
    NO_RULE = 5
    NO_HEADER = 6


@dataclass(frozen=True)
class AclTrace:
    """In a packet's trace. `acl` and `rule` are -1 where none decided; of SESSION `rule` is the session's number, as in
    VPP. `next` is the edge taken: 0 goes on, 1 drops."""

    outcome: AclOutcome
    action: AclAction
    acl: int
    rule: int
    interface: int
    next: int


@dataclass(frozen=True)
class AclSessionSettings:
    """Limits of sessions: `most` at a time, and idle timeouts. TCP sessions have `tcp_idle_s` while the connection is
    established and `tcp_transient_s` before and after, all others `udp_idle_s`."""

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
    """A session with the fields of its first packet; `is_output`: that packet left by the interface. ICMP's identifier
    is the source port. TCP flags are all that each end has sent."""

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
