"""A step of a plan: an operation, and where it stands among the others that nothing else orders."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum

from wirespeed.config.operations import Operation


class ConfigStage(IntEnum):
    """Order of the steps: deletions, then creations, then settings."""

    PRUNE = 0
    CREATE = 1
    SYNC = 2


class Rank(IntEnum):
    """In each stage, the order of what does not depend on one another."""

    DOWN = 0
    DETACH = 1
    DELETE_LCP = 2
    LEAVE_LAYER2 = 3
    DELETE_BRIDGE = 4
    DELETE_LOOPBACK = 5
    DELETE_SUB = 6
    DELETE_TAP = 7
    DELETE_VXLAN = 8
    DELETE_BOND = 9
    DELETE_ACL = 10

    LOOPBACK = 20
    BOND = 21
    VXLAN = 22
    TAP = 23
    SUB = 24
    BRIDGE = 25
    LCP = 26
    ACL = 27

    LOOPBACK_MAC = 40
    BOND_MEMBER = 41
    BRIDGE_SETTING = 42
    BRIDGE_MEMBER = 43
    XCONNECT = 44
    TAG_REWRITE = 45
    MTU_DOWN = 46
    LINK_GROW = 47
    LINK_SHRINK = 48
    PACKET_SHRINK = 49
    PACKET_GROW = 50
    ADDRESS = 51
    UNNUMBERED = 52
    MAC = 53
    MPLS = 54
    SFLOW = 55
    STATE_DOWN = 56
    STATE_UP = 57


@dataclass(frozen=True, slots=True)
class ConfigStep:
    """`depth` counts the VLAN tags of its interface; steps that take away begin with the deepest."""

    operation: Operation
    stage: ConfigStage
    rank: Rank
    name: str = ""
    depth: int = 0

    @property
    def place(self) -> tuple[object, ...]:
        """Sorts steps that do not depend on one another."""
        inward = self.stage is ConfigStage.PRUNE or self.rank in (Rank.PACKET_SHRINK, Rank.STATE_DOWN)
        return self.stage, self.rank, -self.depth if inward else self.depth, natural(self.name)


_NUMBER = re.compile(r"(\d+)")


def natural(name: str) -> tuple[object, ...]:
    """Numbers within names by their value: e2 before e10."""
    return tuple((0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _NUMBER.split(name) if part)
