"""What the control plane asks of the data plane about access lists (ACLs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import IPv4Network, IPv6Network
from typing import Protocol


class AclAction(IntEnum):
    """What a rule does with packets that fit it. REFLECT permits, and begins a session: while that lives, packets of
    it pass in both directions without meeting rules (acl_session). A packet that would begin one and finds no
    room is dropped; one that can have none (a later fragment, an ICMP error) is permitted alone."""

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
    """What a rule has decided on since it was set; bytes without FCS, as they are where the rule is asked."""

    packets: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Acl:
    index: int
    tag: str
    rules: tuple[AclRule, ...]
    counts: tuple[AclCount, ...] = field(compare=False, default=())


class AclOutcome(IntEnum):
    """What an ACL's node made of a packet. RULE, NEW_SESSION and NO_ROOM are of a rule that fits: it decided alone,
    it began a session, or it would have begun one and dropped the packet for lack of room."""

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


class AclCore(Protocol):
    """A part of `wirespeed.router.core.RouterCore`."""

    def set_acl(self, index: int | None, tag: str, rules: Sequence[AclRule]) -> int:
        """Make an ACL (None), or give one other rules, all at once; returns its index."""

    def delete_acl(self, index: int) -> None:
        """UsageError while an interface has it."""

    def acls(self) -> Sequence[Acl]: ...
    def acl(self, index: int) -> Acl:
        """UsageError when there is none."""

    def set_interface_acls(self, index: int, is_output: bool, acls: Sequence[int]) -> None:
        """Which ACLs packets meet, in that order; all pass without any, and none that no rule fits."""

    def interface_acls(self, index: int, is_output: bool) -> Sequence[int]: ...
