"""What the control plane asks of the data plane about access lists (ACLs)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from ipaddress import IPv4Network, IPv6Network
from typing import Protocol


class AclAction(IntEnum):
    """REFLECT permits, and from then on both ways of the packet's session (acl_session_core)."""

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
