"""One port of the generator: who owns it, how it is set, and what streams it has."""

from __future__ import annotations

import random
import string
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any

from wirespeed._native.generator import GeneratorCore
from wirespeed._native.runtime import PortInfo
from wirespeed.errors import WirespeedError
from wirespeed.generator.events import EventKind
from wirespeed.generator.layers import PortLayers, own_mac
from wirespeed.generator.packet_groups import PacketGroups
from wirespeed.generator.port_profile import AddedStream, Profile, State
from wirespeed.generator.rpc import failed
from wirespeed.generator.stream_json import parse_stream
from wirespeed.generator.translation import translate, with_flow
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

Json = dict[str, Any]

__all__ = ["ALL_PROFILES", "DEFAULT_PROFILE", "Owner", "Port", "random_handle"]

MAX_STREAMS = 20_000
MAX_PROFILES = 128

_TAGS_BYTES = 8
"""What a frame may have above the MTU beside its Ethernet header: two VLAN tags, or MPLS labels."""


@dataclass(frozen=True)
class Owner:
    """A session that acquired the port; `handler` proves it."""

    user: str
    session_id: int
    handler: str


class Port:
    """Requests come checked; what the port's state does not allow is answered with T-Rex's texts."""

    def __init__(self, index: int, core: GeneratorCore, dst_mac: str, emit: Emit, groups: PacketGroups) -> None:
        self.index = index
        self.owner: Owner | None = None
        self.service = False
        self.service_filtered = False
        first = core.port_info(index)
        self.layers = PortLayers(own_mac(first, index), dst_mac)
        self._numbers = count()
        self.profiles: dict[str, Profile] = {DEFAULT_PROFILE: Profile(number=next(self._numbers))}
        self.traffic = Transmission(index, core, emit, self.profiles, self.layers, groups)
        self.max_stream_id = 0
        self._stream_count = 0
        self._core = core
        self._groups = groups
        self._emit = emit
        self.can_be_promiscuous = first.promiscuous  # ports are opened so wherever the driver lets them
        self.promiscuous, self.multicast = first.promiscuous, False
        self._link_up = first.link_up
        self._longest_bytes = first.mtu + 14 + _TAGS_BYTES

    @property
    def info(self) -> PortInfo:
        return self._core.port_info(self.index)

    @property
    def flow_control(self) -> int | None:
        """The mode, None when the driver has none."""
        return self._core.flow_control(self.index)

    @property
    def state(self) -> State:
        return self.traffic.state if self._link_up else State.DOWN

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
            self._emit(EventKind.PORT_ATTR_CHANGED, port_id=self.index, attr={"link": {"up": link_up}})

    # ---- ownership

    def acquire(self, user: str, session_id: int, force: bool) -> str:
        """Make the session the owner, with a new handler each time. Traffic of a session that is put out stops."""
        if self.owner is not None and not force:
            if self.owner.user != user:
                raise failed(f"port is already taken by '{self.owner.user}'")
            if self.owner.session_id != session_id:
                raise failed(f"port is already taken by another session of '{user}'")
        taken = self.owner is not None
        if self.owner is not None and self.owner.session_id != session_id:
            self.traffic.stop(ALL_PROFILES)
        handler = random_handle()
        self.owner = Owner(user, session_id, handler)
        self._emit(EventKind.PORT_ACQUIRED, port_id=self.index, who=user, session_id=session_id, force=taken)
        return handler

    def release(self) -> None:
        owner, self.owner = self.owner, None
        if owner is not None:
            self._emit(EventKind.PORT_RELEASED, port_id=self.index, who=owner.user, session_id=owner.session_id)

    def check_handler(self, handler: str) -> None:
        if self.owner is None:
            raise failed("please acquire the port before modifying port state")
        if self.owner.handler != handler:
            raise failed("port is not owned by you or your current executing session")

    # ---- streams

    def profile(self, profile_id: str) -> Profile:
        return find(self.profiles, profile_id, self.index)

    def add_stream(self, profile_id: str, stream_id: int, stream: Json) -> None:
        profile = self.profiles.get(profile_id)
        if profile is None:
            if len(self.profiles) >= MAX_PROFILES:
                raise failed(f"a port takes at most {MAX_PROFILES} profiles")
            if profile_id == ALL_PROFILES:
                raise failed("'*' means all profiles; give one by name")
            profile = Profile(number=next(self._numbers))
        self._check_not_running("add_stream", profile_id, profile)
        if stream_id in profile.streams:
            raise failed(f"stream {stream_id} already exists in profile_id({profile_id})")
        if self._stream_count >= MAX_STREAMS:
            raise failed(f"a port takes at most {MAX_STREAMS} streams")
        source = parse_stream(stream)
        translated = translate(stream_id, source)
        self.check_length(source.packet.binary)
        if source.pg_id is not None:
            self._core.check_flow(with_flow(translated.stream, source, flow_id=0))
            self._groups.join(source.pg_id, source.flow_kind)
        profile.streams[stream_id] = AddedStream(stream, source, translated)
        profile.state = State.STREAMS
        self.profiles[profile_id] = profile
        self._stream_count += 1
        self.max_stream_id = max(self.max_stream_id, stream_id)

    def check_length(self, packet: bytes) -> None:
        if len(packet) > self._longest_bytes:
            raise failed(
                f"packet of {len(packet)} bytes; this port takes {self._longest_bytes} without FCS "
                f"(MTU {self.info.mtu}); start the generator with a larger --mtu"
            )

    def remove_stream(self, profile_id: str, stream_id: int) -> None:
        profile = self.profile(profile_id)
        self._check_not_running("remove_stream", profile_id, profile)
        removed = profile.streams.pop(stream_id, None)
        if removed is None:
            raise failed(f"stream {stream_id} does not exist")
        self._leave_groups([removed])
        self._settle(profile_id)

    def remove_all_streams(self, profile_id: str) -> None:
        for name in named(self.profiles, profile_id):
            self._check_not_running("remove_all_streams", name, self.profiles[name])
            self._leave_groups(self.profiles[name].streams.values())
            self.profiles[name].streams.clear()
            self._settle(name)

    def _leave_groups(self, removed: Iterable[AddedStream]) -> None:
        for added in removed:
            if added.source.pg_id is not None:
                self._groups.leave(added.source.pg_id)

    def _settle(self, profile_id: str) -> None:
        """After streams went: an empty profile is idle, and only the default one stays when empty."""
        profile = self.profiles[profile_id]
        if not profile.streams:
            profile.state = State.IDLE
            if profile_id != DEFAULT_PROFILE:
                del self.profiles[profile_id]
        self._stream_count = sum(len(one.streams) for one in self.profiles.values())
        if not self._stream_count:
            self.max_stream_id = 0

    def _check_not_running(self, command: str, profile_id: str, profile: Profile) -> None:
        if profile.state in RUNNING:
            raise wrong_state(command, profile_id, profile.state)


def random_handle() -> str:
    """Eight characters, as T-Rex hands them out."""
    return "".join(random.choices(string.ascii_letters + string.digits, k=8))
