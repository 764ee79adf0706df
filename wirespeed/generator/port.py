"""One port of the generator: who owns it, how it is set, and what streams it has."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from wirespeed._native.generator import NativeGenerator
from wirespeed.errors import WirespeedError
from wirespeed.generator.changes import Changes
from wirespeed.generator.events import EventKind
from wirespeed.generator.memory import Memory
from wirespeed.generator.packet_groups import PacketGroups
from wirespeed.generator.port_layers import PortLayers, own_mac
from wirespeed.generator.port_profile import AddedStream, PortProfile, PortProfileState, Tally
from wirespeed.generator.rpc import failed
from wirespeed.generator.start_rules import StartRules
from wirespeed.generator.tagged_groups import TaggedUsers
from wirespeed.generator.translation import checked_stream, translate, with_flow
from wirespeed.generator.transmission import (
    ALL_PROFILES,
    DEFAULT_PROFILE,
    RUNNING,
    Emit,
    Transmission,
    find,
    named,
    wrong_state,
)
from wirespeed.seam.ports import PortInfo

Json = dict[str, Any]

__all__ = ["ALL_PROFILES", "DEFAULT_PROFILE", "Owner", "Port", "random_handle"]

MAX_STREAMS = 20_000
MAX_PROFILES = 1024

_TAGS_BYTES = 8
"""Bytes of a frame above the MTU, in addition to its Ethernet header: two VLAN tags, or MPLS labels."""


@dataclass(frozen=True)
class Owner:
    """A session that acquired the port; `handler` proves it."""

    user: str
    session_id: int
    handler: str


class Port:
    """Requests come checked; what the port's state does not allow is answered with T-Rex's texts."""

    def __init__(
        self,
        index: int,
        core: NativeGenerator,
        dst_mac: str,
        emit: Emit,
        groups: PacketGroups,
        tagged: TaggedUsers,
        memory: Memory,
        changes: Changes,
        rules: StartRules,
    ) -> None:
        self.index = index
        self._memory = memory
        self._held_by = f"streams of port {index}"
        self.owner: Owner | None = None
        self.service = False
        self.service_filtered = False
        first = core.port_info(index)
        self.layers = PortLayers(own_mac(first, index), dst_mac)
        self._numbers = count()
        self._tally = Tally()
        self.profiles: dict[str, PortProfile] = {DEFAULT_PROFILE: PortProfile(self._tally, next(self._numbers))}
        self.traffic = Transmission(index, core, emit, self.profiles, self._tally, self.layers, groups, changes, rules)
        self._stream_count = 0
        self._highest: int | None = 0
        self._core = core
        self._groups = groups
        self._tagged = tagged
        self._emit = emit
        self.can_be_promiscuous = first.promiscuous  # ports are opened so wherever the driver lets them
        self.promiscuous, self.multicast = first.promiscuous, False
        if first.promiscuous:  # a T-Rex's port is not
            self.set_promiscuous(False)
        self._link_up = first.link_up
        self._links_seen_lost = 0
        self.at_leave: list[Callable[[], object]] = []
        """Called once, when the owner releases the port or loses it to another session."""
        self._longest_bytes = first.mtu + 14 + _TAGS_BYTES

    @property
    def info(self) -> PortInfo:
        return self._core.port_info(self.index)

    @property
    def link_losses(self) -> int:
        """Number of link losses: as Linux counts them for its interfaces, otherwise as `notice` counted them."""
        counted = self._core.link_losses(self.index)
        return self._links_seen_lost if counted is None else counted

    @property
    def flow_control(self) -> int | None:
        """The mode, None when the driver has none."""
        return self._core.flow_control(self.index)

    @property
    def state(self) -> PortProfileState:
        return self.traffic.state

    # ---- attributes

    def set_promiscuous(self, on: bool) -> None:
        """Receive all frames, or those for this port; a virtual wire without a filter delivers all in either mode."""
        try:
            self._core.set_promiscuous(self.index, on)
        except WirespeedError:
            if not self.info.is_virtual:
                raise
        self.promiscuous = on

    def gateway_found(self, mac: str) -> None:
        """The gateway's MAC address was learned."""
        self.layers.dst_mac, self.layers.resolved = mac, True
        self._emit(EventKind.PORT_ATTR_CHANGED, port_id=self.index, attr={"layer_cfg": self.layers.to_json()})

    def notice(self, active: bool) -> None:
        """Look at what happened by itself: traffic ended (it is not `active`), the link changed."""
        self.traffic.notice(active)
        link_up = self.info.link_up
        if link_up != self._link_up:
            self._link_up = link_up
            self._links_seen_lost += not link_up
            self._emit(EventKind.PORT_ATTR_CHANGED, port_id=self.index, attr={"link": {"up": link_up}})

    # ---- ownership

    def acquire(self, user: str, session_id: int, force: bool) -> str:
        """Make the session the owner; an owner that does not force keeps its handler. Traffic goes on."""
        if self.owner is not None and not force:
            if self.owner.user != user:
                raise failed(f"port is already taken by '{self.owner.user}'")
            if self.owner.session_id != session_id:
                raise failed(f"port is already owned by another session of '{user}'")
        taken = self.owner is not None and force
        if taken:
            self._tagged.leave(self.index, heir=user)
        if taken and self.owner is not None and self.owner.session_id != session_id:
            self._leave()
        if self.owner is None or force:
            self.owner = Owner(user, session_id, random_handle())
        self._emit(EventKind.PORT_ACQUIRED, port_id=self.index, who=user, session_id=session_id, force=taken)
        return self.owner.handler

    def release(self) -> None:
        owner, self.owner = self.owner, None
        self._tagged.leave(self.index)
        self._leave()
        if owner is not None:
            self._emit(EventKind.PORT_RELEASED, port_id=self.index, who=owner.user, session_id=owner.session_id)

    def _leave(self) -> None:
        leaving, self.at_leave = self.at_leave, []
        for leave in leaving:
            leave()

    def check_handler(self, handler: str) -> None:
        if self.owner is None:
            raise failed("please acquire the port before modifying port state")
        if self.owner.handler != handler:
            raise failed("port is not owned by you or your current executing session")

    # ---- streams

    def profile(self, profile_id: str) -> PortProfile:
        return find(self.profiles, profile_id, self.index)

    def add_stream(self, profile_id: str, stream_id: int, stream: Json) -> None:
        profile = self.profiles.get(profile_id)
        if profile is None:
            self._make_room()
            if len(self.profiles) >= MAX_PROFILES:
                raise failed(f"a port takes at most {MAX_PROFILES} profiles")
        else:
            self._check_not_running("add_stream", profile_id, profile)
        if profile is not None and stream_id in profile.streams:
            raise failed(f"stream {stream_id} already exists in profile_id({profile_id})")
        if self._stream_count >= MAX_STREAMS:
            raise failed(f"a port takes at most {MAX_STREAMS} streams")
        source = checked_stream(stream)
        translated = translate(stream_id, source)
        self.check_length(source.packet.binary)
        added = AddedStream(json.dumps(stream, separators=(",", ":")).encode(), source, translated)
        if source.tpgid is not None:
            self._tagged.check(self.index, source.tpgid, self._tpgids())
        if source.flow_stats.enabled:
            self._core.check_flow(with_flow(translated.stream, source, flow_id=0))
        if source.pg_id is not None:
            self._groups.join(source.pg_id, source.flow_kind)
        if not self._memory.take(self._held_by, added.held_bytes):
            if source.pg_id is not None:
                self._groups.leave(source.pg_id)
            raise failed(
                f"no memory for more streams: the limit is {self._memory.session_bytes >> 20} MB for a port's streams "
                f"and {self._memory.all_bytes >> 20} MB for all clients; remove streams, or end captures"
            )
        if profile is None:
            profile = self.profiles[profile_id] = PortProfile(self._tally, next(self._numbers))
        profile.streams[stream_id] = added
        profile.settle()
        self._stream_count += 1
        if self._highest is not None:
            self._highest = max(self._highest, stream_id)

    def _tpgids(self) -> set[int | None]:
        return {added.source.tpgid for profile in self.profiles.values() for added in profile.streams.values()}

    def check_length(self, packet: bytes) -> None:
        if len(packet) > self._longest_bytes:
            raise failed(
                f"packet of {len(packet)} bytes; this port takes at most {self._longest_bytes} without FCS "
                f"(MTU {self.info.mtu}); start the generator with a larger mtu= in the port, or --mtu"
            )

    def remove_stream(self, profile_id: str, stream_id: int) -> None:
        profile = self.profile(profile_id)
        self._check_not_running("remove_stream", profile_id, profile)
        removed = profile.streams.pop(stream_id, None)
        if removed is None:
            raise failed(f"stream {stream_id} does not exists in profile_id({profile_id})")
        self._let_go({stream_id: removed})
        profile.settle()

    def remove_all_streams(self, profile_id: str) -> None:
        """Remove all streams of a profile. An unknown profile has none; that holds for `*` too."""
        if profile_id not in self.profiles:
            return
        for name in named(self.profiles, profile_id):
            self._check_not_running("remove_and_delete_all_streams", name, self.profiles[name])
            self._let_go(self.profiles[name].streams)
            self.profiles[name].streams.clear()
            self.profiles[name].settle()

    def _make_room(self) -> None:
        """Forget an emptied profile when there is no room for one more; clients see it until then."""
        if len(self.profiles) >= MAX_PROFILES:
            empty = (name for name, one in self.profiles.items() if not one.streams and name != DEFAULT_PROFILE)
            if (name := next(empty, None)) is not None:
                self._tally.count(self.profiles.pop(name), -1)

    def _let_go(self, removed: Mapping[int, AddedStream]) -> None:
        for stream_id, added in removed.items():
            self._memory.give(self._held_by, added.held_bytes)
            if added.source.pg_id is not None:
                self._groups.leave(added.source.pg_id)
            if stream_id == self._highest:
                self._highest = None  # looked for when it is asked for
        self._stream_count -= len(removed)

    @property
    def max_stream_id(self) -> int:
        """The highest number of a stream that is there, 0 when there is none."""
        if self._highest is None:
            self._highest = max((number for one in self.profiles.values() for number in one.streams), default=0)
        return self._highest

    def _check_not_running(self, command: str, profile_id: str, profile: PortProfile) -> None:
        if profile.state in RUNNING:
            raise wrong_state(command, profile_id, profile.state)


def random_handle() -> str:
    """Eight characters, as T-Rex hands them out."""
    return "".join(random.choices(string.ascii_letters + string.digits, k=8))
