"""Tagged packet groups: whose they are, on which ports, and which VLAN tags have which number."""

from __future__ import annotations

import enum
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from typing import Any

from wirespeed._native.flow_records import TagVlans
from wirespeed._native.generator import NativeGenerator
from wirespeed.errors import WirespeedError
from wirespeed.generator.parameters import UInt16, read
from wirespeed.generator.rpc import Json, failed

_LAST_VLAN = 4094


class TaggedState(enum.IntEnum):
    """T-Rex's numbers, of the steps in which clients switch on and off."""

    DISABLED = 0
    ENABLED_BY_RECEIVER = 2
    ENABLED = 3
    DISABLED_BY_RECEIVER = 5


@dataclass
class TaggedGroups:
    """The groups of one user; `tags` by number."""

    user: str
    ports: Sequence[int]
    receivers: Sequence[int]
    count: int
    tags: list[TagVlans]
    state: TaggedState = TaggedState.ENABLED_BY_RECEIVER
    sent_before: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    """By port and group what had been sent when its counts were cleared."""


class TaggedUsers:
    """All users' groups of a server; a port is in one user's at most."""

    def __init__(self, core: NativeGenerator) -> None:
        self._core = core
        self._by_user: dict[str, TaggedGroups] = {}

    def of_user(self, user: str) -> TaggedGroups | None:
        return self._by_user.get(user)

    def of_port(self, port: int) -> TaggedGroups | None:
        on = (one for one in self._by_user.values() if one.state is not TaggedState.DISABLED_BY_RECEIVER)
        return next((one for one in on if port in one.ports), None)

    def enabled_on(self, port: int) -> TaggedGroups | None:
        found = self.of_port(port)
        return found if found is not None and found.state is TaggedState.ENABLED else None

    def check(self, port: int, tpgid: int, used: Container[int | None]) -> None:
        """Refuse a stream of a group that the port does not have, or whose one stream it has."""
        groups = self.enabled_on(port)
        if groups is None:
            raise failed("Trying to add a TPG stream but TPG isn't enabled in this port.")
        if tpgid >= groups.count:
            most = groups.count - 1
            raise failed(f"Invalid tpgid {tpgid}. The maximal tpgid allowed for this port is {most}")
        if tpgid in used:
            raise failed(f"Tagged Packet Group ID {tpgid} already in use. Can't use the same id for two streams.")

    def add(self, groups: TaggedGroups) -> None:
        """All ports or, with the core's fault, none."""
        try:
            for port in groups.ports:
                self._core.tag(port, port in groups.receivers, groups.count, groups.tags)
        except WirespeedError:
            self._end(groups)
            raise
        self._by_user[groups.user] = groups

    def disable(self, groups: TaggedGroups) -> None:
        self._end(groups)
        groups.state = TaggedState.DISABLED_BY_RECEIVER

    def leave(self, port: int, heir: str | None = None) -> None:
        """The port changes its owner; groups that it was in end on all ports, unless they are the heir's."""
        groups = self.of_port(port)
        if groups is not None and groups.user != heir:
            self._end(groups)
            self.forget(groups)

    def _end(self, groups: TaggedGroups) -> None:
        for port in groups.ports:
            self._core.end_tagging(port)

    def forget(self, groups: TaggedGroups) -> None:
        del self._by_user[groups.user]

    def retag(self, groups: TaggedGroups, tags: list[TagVlans]) -> None:
        for port in groups.receivers:
            self._core.retag(port, tags)
        groups.tags = tags

    def sent(self, groups: TaggedGroups, port: int, group: int) -> tuple[int, int]:
        """Packets and bytes since the last clear."""
        now = self._core.tagged_sent(port, group)
        before = groups.sent_before.get((port, group), (0, 0))
        return now[0] - before[0], now[1] - before[1]

    def clear_sent(self, groups: TaggedGroups, port: int, group: int) -> None:
        groups.sent_before[port, group] = self._core.tagged_sent(port, group)


def tag_of(described: Json, taken: Container[TagVlans]) -> TagVlans:
    """The VLAN tags that a request describes; RpcError: there are none such, or another number has them."""
    kind: str = read(described, "type", str)
    value: Json = read(described, "value", dict)
    if kind == "Dot1Q":
        tag = TagVlans(read(value, "vlan", UInt16))
        text = f"Vlan {tag.first}"
    elif kind == "QinQ":
        vlans: list[Any] = read(value, "vlans", list)
        if len(vlans) != 2:
            raise failed("QinQ must contain 2 Vlans!")
        tag = TagVlans(*(read({"vlans": one}, "vlans", UInt16) for one in vlans))
        text = f"QinQ ({tag.first},{tag.second})"
    else:
        raise failed(f"Tag type {kind} is not supported!")
    vlans = [tag.first] if kind == "Dot1Q" else [tag.first, tag.second]
    if tag in taken or not all(0 < vlan <= _LAST_VLAN for vlan in vlans):
        raise failed(f"{text} already exists or is invalid!")
    return tag


def described(tag: TagVlans) -> Json | None:
    """The tag as a request describes it; None for a number without one."""
    if tag.second:
        return {"type": "QinQ", "value": {"vlans": [tag.first, tag.second]}}
    return {"type": "Dot1Q", "value": {"vlan": tag.first}} if tag.first else None
