"""One port of the generator: who owns it, what streams it has, and whether they run."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wirespeed._native.generator import GeneratorCore, Stream, StreamMode
from wirespeed._native.runtime import PortInfo
from wirespeed.errors import WirespeedError
from wirespeed.generator.events import EventKind
from wirespeed.generator.load import (
    Load,
    Multiplier,
    Timeline,
    check_line_rate,
    new_factor,
    stream_pps,
    timeline,
)
from wirespeed.generator.port_profile import AddedStream, Profile, State, flow_ids
from wirespeed.generator.rpc import failed
from wirespeed.generator.stream_json import parse_stream
from wirespeed.generator.translation import Addresses, addressed, translate, with_flow

Json = dict[str, Any]

DEFAULT_PROFILE = "_"
ALL_PROFILES = "*"
MAX_STREAMS = 20_000

_TAGS_BYTES = 8
"""What a frame may have above the MTU beside its Ethernet header: two VLAN tags, or MPLS labels."""


@dataclass(frozen=True)
class Owner:
    """A session that acquired the port; `handler` proves it."""

    user: str
    session_id: int
    handler: str


Emit = Callable[..., None]


class Port:
    """Requests come checked; what the port's state does not allow is answered with T-Rex's texts."""

    def __init__(self, index: int, core: GeneratorCore, dst_mac: str, emit: Emit) -> None:
        self.index = index
        self.dst_mac = dst_mac
        self.owner: Owner | None = None
        self.service = False
        self.service_filtered = False
        self.profiles: dict[str, Profile] = {DEFAULT_PROFILE: Profile()}
        self.max_stream_id = 0
        self._core = core
        self._emit = emit
        first = core.port_info(index)
        self.can_be_promiscuous = first.promiscuous  # ports are opened so wherever the driver lets them
        self.promiscuous, self.multicast = first.promiscuous, False
        self._link_up = first.link_up

    @property
    def info(self) -> PortInfo:
        return self._core.port_info(self.index)

    @property
    def state(self) -> State:
        if not self._link_up:
            return State.DOWN
        states = {profile.state for profile in self.profiles.values()}
        return next(state for state in (State.TX, State.PAUSE, State.STREAMS, State.IDLE) if state in states)

    def set_promiscuous(self, on: bool) -> None:
        """Receive all frames, or those for this port; a virtual wire without a filter delivers all in either mode."""
        try:
            self._core.set_promiscuous(self.index, on)
        except WirespeedError:
            if not self.info.is_virtual:
                raise
        self.promiscuous = on

    # ---- ownership

    def acquire(self, user: str, session_id: int, force: bool) -> str:
        """Make the session the owner; every time with a new handler."""
        if self.owner is not None and not force:
            if self.owner.user != user:
                raise failed(f"port is already taken by '{self.owner.user}'")
            if self.owner.session_id != session_id:
                raise failed(f"port is already taken by another session of '{user}'")
        taken = self.owner is not None
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
        """A profile that is there; asking for one that nobody made is an error."""
        found = self.profiles.get(profile_id)
        if found is None:
            raise failed(f"there is no profile '{profile_id}' on port {self.index}")
        return found

    def add_stream(self, profile_id: str, stream_id: int, stream: Json) -> None:
        profile = self.profiles.get(profile_id, Profile())
        self._check_not_running("add_stream", profile_id, profile)
        if stream_id in profile.streams:
            raise failed(f"stream {stream_id} already exists in profile_id({profile_id})")
        if sum(len(one.streams) for one in self.profiles.values()) >= MAX_STREAMS:
            raise failed(f"a port takes at most {MAX_STREAMS} streams")
        source = parse_stream(stream)
        translated = translate(stream_id, source)
        longest = self.info.mtu + 14 + _TAGS_BYTES
        if len(source.packet.binary) > longest:
            raise failed(
                f"packet of {len(source.packet.binary)} bytes; this port takes {longest} without FCS "
                f"(MTU {self.info.mtu}); start the generator with a larger --mtu"
            )
        profile.streams[stream_id] = AddedStream(stream, source, translated)
        profile.state = State.STREAMS
        self.profiles[profile_id] = profile
        self.max_stream_id = max(self.max_stream_id, stream_id)

    def remove_stream(self, profile_id: str, stream_id: int) -> None:
        profile = self.profile(profile_id)
        self._check_not_running("remove_stream", profile_id, profile)
        if profile.streams.pop(stream_id, None) is None:
            raise failed(f"stream {stream_id} does not exist")
        self._settle(profile_id)

    def remove_all_streams(self, profile_id: str) -> None:
        for name in self._named(profile_id):
            self._check_not_running("remove_all_streams", name, self.profiles[name])
            self.profiles[name].streams.clear()
            self._settle(name)

    def _named(self, profile_id: str) -> list[str]:
        """Names that a request means: one, or all of them; none when there is no such profile."""
        return [name for name in self.profiles if profile_id in (name, ALL_PROFILES)]

    def _settle(self, profile_id: str) -> None:
        """After streams went: an empty profile is idle, and only the default one stays when empty."""
        profile = self.profiles[profile_id]
        if not profile.streams:
            profile.state = State.IDLE
            if profile_id != DEFAULT_PROFILE:
                del self.profiles[profile_id]
        if not any(one.streams for one in self.profiles.values()):
            self.max_stream_id = 0

    def _check_not_running(self, command: str, profile_id: str, profile: Profile) -> None:
        if profile.state in (State.TX, State.PAUSE):
            raise _wrong_state(command, profile_id, profile.state)

    # ---- traffic

    def streams_at_unit_factor(self, profile_id: str) -> tuple[list[Stream], Timeline]:
        """The profile's streams with rates and addresses filled in, and their timeline."""
        profile = self.profile(profile_id)
        if not profile.streams:
            raise failed("no streams attached to port")
        info = self.info
        addresses = Addresses(_mac_bytes(info.mac), _mac_bytes(self.dst_mac))
        flows = flow_ids([added.source for added in profile.streams.values()])
        ready = []
        for added in profile.streams.values():
            stream = addressed(added.translated, added.source, addresses)
            pps = stream_pps(added.source.mode.rate, added.translated.mean_frame_bytes, info.speed_bps)
            stream = replace(stream, rate_pps=pps)
            if added.source.pg_id is not None:
                stream = with_flow(stream, added.source, flows[added.source.pg_id])
            if stream.next_id not in (-1, *profile.streams):
                raise failed(f"stream {stream.id} has stream {stream.next_id} as its next, which is not there")
            ready.append(stream)
        return ready, timeline(ready, profile.mean_frames())

    def start(self, profile_id: str, mul: Multiplier, duration_s: float, force: bool) -> float:
        """Send; returns the factor of the streams' own rates."""
        profile = self.profiles.get(profile_id, Profile())
        if profile.state is not State.STREAMS:
            raise _wrong_state("start", profile_id, profile.state)
        running = [name for name, one in self.profiles.items() if one.state in (State.TX, State.PAUSE)]
        if running:
            raise failed(f"profile '{running[0]}' runs on port {self.index}; stop it first: one runs at a time")
        if self.state is State.DOWN and not force:
            raise failed(f"link of port {self.index} is down")
        streams, loads = self.streams_at_unit_factor(profile_id)
        factor = new_factor(mul, 1.0, loads, self.info.speed_bps)
        if not force:
            check_line_rate(loads.peak(factor), self.info.speed_bps)
        self._core.start(self.index, streams, factor, duration_s)
        profile.state, profile.factor, profile.running = State.TX, factor, tuple(streams)
        profile.own_factors = {}
        profile.load = loads.peak(factor)
        profile.endless = duration_s < 0
        self._emit(EventKind.PROFILE_STARTED, port_id=self.index, profile_id=profile_id)
        self._emit(EventKind.PORT_STARTED, port_id=self.index)
        return factor

    def stop(self, profile_id: str) -> None:
        """Stop what runs; stopping what stands still is fine."""
        for name in self._named(profile_id):
            if self.profiles[name].state in (State.TX, State.PAUSE):
                self._core.stop(self.index)
                self._ended(name, EventKind.PROFILE_STOPPED, EventKind.PORT_STOPPED)

    def pause(self, profile_id: str) -> None:
        for name in self._in_state("pause", profile_id, State.TX):
            if not self.profiles[name].endless:
                raise failed("pause is supported when duration is not enable is start command")
            self._core.pause(self.index, True)
            self.profiles[name].state = State.PAUSE
            self._emit(EventKind.PROFILE_PAUSED, port_id=self.index, profile_id=name)
            self._emit(EventKind.PORT_PAUSED, port_id=self.index)

    def resume(self, profile_id: str) -> None:
        for name in self._in_state("resume", profile_id, State.PAUSE):
            self._core.pause(self.index, False)
            self.profiles[name].state = State.TX
            self._emit(EventKind.PROFILE_RESUMED, port_id=self.index, profile_id=name)
            self._emit(EventKind.PORT_RESUMED, port_id=self.index)

    def update(self, profile_id: str, mul: Multiplier, force: bool) -> float:
        """Change the factor of what runs; streams that were updated by themselves keep their share."""
        factor = 1.0
        for name in self._in_state("update", profile_id, State.TX, State.PAUSE):
            profile = self.profiles[name]
            loads = profile.timeline(profile.own_factors)
            factor = new_factor(mul, profile.factor, loads, self.info.speed_bps)
            if not force:
                check_line_rate(loads.peak(factor), self.info.speed_bps)
            self._core.set_factor(self.index, factor)
            profile.factor, profile.load = factor, loads.peak(factor)
        return factor

    def update_streams(self, profile_id: str, stream_ids: list[int], mul: Multiplier, force: bool) -> float:
        """Change the rate of some streams, each by itself; returns the factor of the others, which stays."""
        if profile_id == ALL_PROFILES:
            raise failed("streams are updated in one profile; name it instead of '*'")
        self._in_state("update_streams", profile_id, State.TX, State.PAUSE)
        profile = self.profiles[profile_id]
        factors = dict(profile.own_factors)
        chosen = self._chosen(profile, stream_ids)
        for stream in chosen:
            alone = timeline([replace(stream, self_start=True, next_id=-1)], profile.mean_frames())
            shared = 1.0 if stream.fixed_rate else profile.factor
            asked = new_factor(mul, shared * factors.get(stream.id, 1.0), alone, self.info.speed_bps)
            factors[stream.id] = asked / shared
        load = profile.load_at(profile.factor, factors)
        if not force:
            check_line_rate(load, self.info.speed_bps)
        for stream in chosen:
            self._core.set_stream_factor(self.index, stream.id, factors[stream.id])
        profile.own_factors, profile.load = factors, load
        return profile.factor

    def pause_streams(self, profile_id: str, stream_ids: list[int], paused: bool) -> None:
        command = "pause_streams" if paused else "resume_streams"
        for name in self._in_state(command, profile_id, State.TX, State.PAUSE):
            for stream in self._chosen(self.profiles[name], stream_ids):
                self._core.pause_stream(self.index, stream.id, paused)

    def notice(self, active: bool) -> None:
        """Look at what happened by itself: the program ended, the link changed."""
        for name, profile in list(self.profiles.items()):
            if profile.state in (State.TX, State.PAUSE) and not active:
                self._ended(name, EventKind.PROFILE_FINISHED, EventKind.PORT_FINISHED)
        link_up = self.info.link_up
        if link_up != self._link_up:
            self._link_up = link_up
            self._emit(EventKind.PORT_ATTR_CHANGED, port_id=self.index, attr={"link": {"up": link_up}})

    @property
    def may_finish(self) -> bool:
        """Whether what runs has an end: a duration, or bursts only."""
        return any(
            profile.state is State.TX
            and not (profile.endless and any(one.mode is StreamMode.CONTINUOUS for one in profile.running))
            for profile in self.profiles.values()
        )

    @property
    def load(self) -> Load:
        """The highest load of what runs now."""
        return sum((one.load for one in self.profiles.values() if one.state is State.TX), Load())

    def _ended(self, name: str, profile_event: EventKind, port_event: EventKind) -> None:
        profile = self.profiles[name]
        profile.state, profile.running, profile.load = State.STREAMS, (), Load()
        self._emit(profile_event, port_id=self.index, profile_id=name)
        self._emit(port_event, port_id=self.index)

    def _in_state(self, command: str, profile_id: str, *allowed: State) -> list[str]:
        """Profiles that a command goes to; one by name must be in a state that allows it."""
        if profile_id != ALL_PROFILES:
            state = self.profiles.get(profile_id, Profile()).state
            if state not in allowed:
                raise _wrong_state(command, profile_id, state)
        return [name for name in self._named(profile_id) if self.profiles[name].state in allowed]

    def _chosen(self, profile: Profile, stream_ids: list[int]) -> list[Stream]:
        by_id = {stream.id: stream for stream in profile.running}
        missing = [stream_id for stream_id in stream_ids if stream_id not in by_id]
        if missing:
            raise failed(f"stream {missing[0]} does not exist")
        return [by_id[stream_id] for stream_id in stream_ids]


def random_handle() -> str:
    """Eight characters, as T-Rex hands them out."""
    return "".join(random.choices(string.ascii_letters + string.digits, k=8))


def _wrong_state(command: str, profile_id: str, state: State) -> Exception:
    return failed(
        f"command '{command}' cannot be executed on current state: '{state.value} on profile_id({profile_id})."
    )


def _mac_bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))
