"""Transmission of a port: profiles, each started, changed and stopped by itself, and packet files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from wirespeed._native.generator import ALL_CORES, NativeGenerator
from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.changes import MAX_FACTOR, Changes
from wirespeed.generator.events import EventKind
from wirespeed.generator.load import (
    LoadMultiplier,
    PortRates,
    Timeline,
    check_line_rate,
    new_factor,
    stream_pps,
    timeline,
)
from wirespeed.generator.packet_groups import PacketGroups
from wirespeed.generator.port_layers import PortLayers
from wirespeed.generator.port_profile import PortProfile, PortProfileState, Tally
from wirespeed.generator.rpc import failed
from wirespeed.generator.start_rules import StartRules
from wirespeed.generator.translation import Addresses, at_start
from wirespeed.seam.ports import PortInfo

ALL_PROFILES = "*"
"""Stopping and asking take it for every profile; elsewhere it is a name as others are, as with T-Rex."""

DEFAULT_PROFILE = "_"
RUNNING = (PortProfileState.TX, PortProfileState.PAUSE)

_PACKET_FILE = (1 << 32) - 1
"""The core's number of a packet file; profiles count from 0."""

Emit = Callable[..., None]


@dataclass
class _Played:
    """A packet file that is being sent."""

    endless: bool


class Transmission:
    """Requests come checked; what the state does not allow is answered with T-Rex's texts.

    `profiles` is the port's own dictionary, streams are added there; `tally` is theirs.
    """

    def __init__(
        self,
        index: int,
        core: NativeGenerator,
        emit: Emit,
        profiles: dict[str, PortProfile],
        tally: Tally,
        layers: PortLayers,
        groups: PacketGroups,
        changes: Changes,
        rules: StartRules,
    ) -> None:
        self._index, self._core, self._emit = index, core, emit
        self._profiles, self._tally, self._layers, self._groups = profiles, tally, layers, groups
        self._changes, self._rules = changes, rules
        self._played: _Played | None = None

    @property
    def _info(self) -> PortInfo:
        return self._core.port_info(self._index)

    @property
    def state(self) -> PortProfileState:
        """The busiest state of all that the port has."""
        if self._played is not None:
            return PortProfileState.PCAP_TX
        states = self._tally.states
        return next(
            (
                state
                for state in (PortProfileState.TX, PortProfileState.PAUSE, PortProfileState.STREAMS)
                if states[state]
            ),
            PortProfileState.IDLE,
        )

    @property
    def running(self) -> bool:
        return self.state in (*RUNNING, PortProfileState.PCAP_TX)

    @property
    def running_profiles(self) -> int:
        return self._tally.states[PortProfileState.TX] + self._tally.states[PortProfileState.PAUSE]

    @property
    def times(self) -> bool:
        """True if a latency stream is running."""
        return self._tally.timing > 0

    def ends_within_s(self, now_s: float) -> float | None:
        """Seconds until the running profiles may end by themselves: the rest of their duration, 0 if there are only
        bursts; None if they are endless."""
        if self._played is not None:
            return None if self._played.endless else 0.0
        if not self._tally.ending:
            return None
        running = [profile for profile in self._profiles.values() if profile.state is PortProfileState.TX]
        return min((left_s for one in running if (left_s := one.ends_within_s(now_s)) is not None), default=None)

    @property
    def load(self) -> PortRates:
        """The highest load of what runs now."""
        return self._tally.load

    def streams_at_unit_factor(self, profile_id: str) -> tuple[list[Stream], Timeline]:
        """The profile's streams with rates and addresses filled in, and their timeline."""
        profile = find(self._profiles, profile_id, self._index)
        if not profile.streams:
            raise failed("no streams attached to port")
        speed_bps = self._info.speed_bps
        addresses = self._addresses()
        sources = [added.source for added in profile.streams.values()]
        flows = self._groups.hardware_ids(source.pg_id for source in sources if source.pg_id is not None)
        ready = []
        for added in profile.streams.values():
            source, translated = added.source, added.translated
            if source.next_stream_id != -1 and source.next_stream_id not in profile.streams:
                raise failed(f"stream id {source.next_stream_id} does not exists")
            if translated.fault and source.enabled:
                raise failed(f"stream {added.translated.stream.id}: {translated.fault}")
            pps = stream_pps(source.mode.rate, translated.mean_frame_bytes, speed_bps)
            flow_id = None if source.pg_id is None else flows[source.pg_id]
            ready.append(at_start(translated, source, addresses, pps, flow_id))
        return ready, self._timeline(ready, profile)

    def _timeline(self, streams: Sequence[Stream], profile: PortProfile) -> Timeline:
        return timeline(streams, profile.mean_frames(), self._rules.own_burst_rates)

    def _addresses(self) -> Addresses:
        return Addresses(self._layers.host.mac, bytes.fromhex(self._layers.dst_mac.replace(":", "")))

    def start(
        self,
        profile_id: str,
        mul: LoadMultiplier,
        duration_s: float,
        force: bool,
        start_at_s: float = 0.0,
        cores: int = ALL_CORES,
    ) -> float:
        """Send from `start_at_s` of the server's clock, 0 for now, on those of the port's cores that are bits of
        `cores`; returns the factor of the streams' own rates."""
        profile = self._there(profile_id)
        if profile.state is not PortProfileState.STREAMS or self._played is not None:
            raise wrong_state("start", profile_id, profile.state if self._played is None else PortProfileState.PCAP_TX)
        if not force:
            self._check_ready()
        streams, loads = self.streams_at_unit_factor(profile_id)
        _check_reached(streams)
        factor = new_factor(mul, 1.0, loads, self._info.speed_bps)
        if not force:
            check_line_rate(loads.peak(factor) + self._other_load(profile), self._info.speed_bps)
        now_s = self._core.now_s()
        if start_at_s <= now_s:
            start_at_s = 0.0  # of a schedule that began before, all until now would be late
        timed = self._rules.timed(streams, factor)
        self._core.start(
            self._index, timed, factor, duration_s, profile=profile.number, start_at_s=start_at_s, cores=cores
        )
        before = self.state
        profile.start(factor, streams, loads, max(start_at_s, now_s) + duration_s if duration_s >= 0 else None)
        self._tell(profile_id, EventKind.PROFILE_STARTED, EventKind.PORT_STARTED, before)
        return factor

    def _check_ready(self) -> None:
        if not self._info.link_up:
            raise failed(f"link of port {self._index} is down")
        if not self._layers.resolved:
            gateway = self._layers.host.gateway
            raise failed(f"port {self._index} has not found the MAC address of {gateway}; resolve it first, or force")

    def _other_load(self, profile: PortProfile) -> PortRates:
        mine = profile.load if profile.state is PortProfileState.TX else PortRates()
        return self._tally.load + mine.times(-1)

    def check_standing(self, command: str) -> None:
        """Refuse a command for the port while it sends."""
        if self.running:
            raise failed(f"command '{command}' cannot be executed on current state: '{self.state.value}'")

    def check_idle(self) -> None:
        """Refuse when a packet file cannot be sent now."""
        if self.running:
            raise wrong_state("push_remote", DEFAULT_PROFILE, self.state)
        self._check_ready()

    def play(self, streams: list[Stream], duration_s: float, endless: bool, start_at_s: float = 0.0) -> None:
        """Send only a packet file, converted to a chain of streams; from `start_at_s` on, 0 for now."""
        self.check_idle()
        self._core.start(self._index, streams, 1.0, duration_s, profile=_PACKET_FILE, start_at_s=start_at_s)
        self._played = _Played(endless and duration_s < 0)
        self._emit(EventKind.PORT_STARTED, port_id=self._index)

    def stop(self, profile_id: str) -> None:
        """Stop what runs; stopping what stands still is fine."""
        if self._played is not None and profile_id in (DEFAULT_PROFILE, ALL_PROFILES):
            self._core.stop(self._index, [_PACKET_FILE])
            self._played = None
            self._emit(EventKind.PORT_STOPPED, port_id=self._index)
        for name in named(self._profiles, profile_id):
            profile = self._profiles[name]
            if profile.state in RUNNING:
                self._changes.stop(self._index, profile.number)
                self._ended(name, EventKind.PROFILE_STOPPED, EventKind.PORT_STOPPED)

    def pause(self, profile_id: str, bursts: bool = False) -> None:
        """Hold back a profile that has no duration, and no bursts either unless `bursts`."""
        profile = self._in_state("pause", profile_id, PortProfileState.TX)
        _check_may_pause(profile, bursts)
        self._changes.pause(self._index, profile.number)
        before = self.state
        profile.become(PortProfileState.PAUSE)
        self._tell(profile_id, EventKind.PROFILE_PAUSED, EventKind.PORT_PAUSED, before)

    def resume(self, profile_id: str) -> None:
        profile = self._in_state("resume", profile_id, PortProfileState.PAUSE)
        self._changes.resume(self._index, profile.number)
        before = self.state
        profile.become(PortProfileState.TX)
        self._tell(profile_id, EventKind.PROFILE_RESUMED, EventKind.PORT_RESUMED, before)

    def update(self, profile_id: str, mul: LoadMultiplier, force: bool) -> float:
        """Change the factor of what runs. Streams that were updated by themselves keep their share, and the factor is
        reckoned without it, as a T-Rex does."""
        profile = self._in_state("update", profile_id, *RUNNING)
        loads = self._timeline(profile.running, profile) if profile.own_factors else profile.loads
        factor = new_factor(mul, profile.factor, loads, self._info.speed_bps)
        if factor > MAX_FACTOR:
            raise failed(f"load is {factor:g} times the streams' own rates; at most {MAX_FACTOR:g} times are possible")
        load = profile.loads.peak(factor)
        if not force:
            check_line_rate(load + self._other_load(profile), self._info.speed_bps)
        self._changes.set_factor(self._index, profile.number, factor)
        profile.factor = factor
        profile.become(profile.state, load=load)
        return factor

    def update_streams(self, profile_id: str, stream_ids: list[int], mul: LoadMultiplier, force: bool) -> float:
        """Change the rate of some streams, each by itself; returns the factor of the others, which stays."""
        _check_there("update_streams", profile_id, self._there(profile_id), stream_ids)
        profile = self._in_state("update_streams", profile_id, *RUNNING)
        factors = dict(profile.own_factors)
        chosen = _chosen(profile, stream_ids)
        for stream in chosen:
            alone = self._timeline([replace(stream, self_start=True, next_id=-1)], profile)
            shared = 1.0 if stream.fixed_rate else profile.factor
            asked = new_factor(mul, shared * factors.get(stream.id, 1.0), alone, self._info.speed_bps)
            factors[stream.id] = asked / shared
        loads = self._timeline(profile.scaled(factors), profile)
        load = loads.peak(profile.factor)
        if not force:
            check_line_rate(load + self._other_load(profile), self._info.speed_bps)
        for stream in chosen:
            self._core.set_stream_factor(self._index, stream.id, factors[stream.id], profile=profile.number)
        profile.own_factors, profile.loads = factors, loads
        profile.become(profile.state, load=load)
        return profile.factor

    def pause_streams(self, profile_id: str, stream_ids: list[int], paused: bool) -> None:
        command = "pause_streams" if paused else "resume_streams"
        _check_there(command, profile_id, self._there(profile_id), stream_ids)
        profile = self._in_state(command, profile_id, *RUNNING)
        if paused:
            _check_may_pause(profile, bursts=False)
        for stream in _chosen(profile, stream_ids):
            self._core.pause_stream(self._index, stream.id, paused, profile=profile.number)

    def notice(self, active: bool) -> None:
        """Handle profiles that ended by themselves; `active`: the port still has something to send."""
        if self._played is not None and not active:
            self._core.stop(self._index, [_PACKET_FILE])
            self._played = None
            self._emit(EventKind.PROFILE_FINISHED, port_id=self._index, profile_id=DEFAULT_PROFILE)
            self._emit(EventKind.PORT_FINISHED, port_id=self._index)
        if not self.running_profiles or (active and self.running_profiles == 1):
            return
        still = {one.profile for one in self._core.profiles(self._index)} if active else set()
        ended = [name for name, one in self._profiles.items() if one.state in RUNNING and one.number not in still]
        if ended:
            self._core.stop(self._index, [self._profiles[name].number for name in ended])
        for name in ended:
            self._ended(name, EventKind.PROFILE_FINISHED, EventKind.PORT_FINISHED)

    def _ended(self, name: str, profile_event: EventKind, port_event: EventKind) -> None:
        profile = self._profiles[name]
        before = self.state
        profile.end()
        self._tell(name, profile_event, port_event, before)

    def _tell(self, name: str, profile_event: EventKind, port_event: EventKind, before: PortProfileState) -> None:
        """A profile changed; the port did if its own state is another than it was."""
        self._emit(profile_event, port_id=self._index, profile_id=name)
        if self.state is not before:
            self._emit(port_event, port_id=self._index)

    def _there(self, profile_id: str) -> PortProfile:
        found = self._profiles.get(profile_id)
        if found is None:
            raise failed(f"profile_id {profile_id} does not exists")
        return found

    def check_has_streams(self, command: str, profile_id: str) -> None:
        """Refuse a command for a profile without streams."""
        self._in_state(command, profile_id, PortProfileState.STREAMS, *RUNNING)

    def check_links(self, profile_id: str) -> None:
        """Refuse a profile with a stream whose next one is not there."""
        streams = find(self._profiles, profile_id, self._index).streams
        for number, added in streams.items():
            following = added.source.next_stream_id
            if following != -1 and following not in streams:
                raise failed(f"error: stream {number} is pointing to a non-existent stream {following}")

    def _in_state(self, command: str, profile_id: str, *allowed: PortProfileState) -> PortProfile:
        """The profile that a command goes to, which must be in a state that allows it."""
        profile = self._there(profile_id)
        state = (
            PortProfileState.PCAP_TX if self._played is not None and profile_id == DEFAULT_PROFILE else profile.state
        )
        if state not in allowed:
            raise wrong_state(command, profile_id, state)
        return profile


def named(profiles: dict[str, PortProfile], profile_id: str) -> list[str]:
    """Names that a request means: one, or all of them; none when there is no such profile."""
    if profile_id == ALL_PROFILES:
        return list(profiles)
    return [profile_id] if profile_id in profiles else []


def find(profiles: dict[str, PortProfile], profile_id: str, port: int) -> PortProfile:
    """An existing profile; an error for an unknown one."""
    found = profiles.get(profile_id)
    if found is None:
        raise failed(f"there is no profile '{profile_id}' on port {port}")
    return found


def wrong_state(command: str, profile_id: str, state: PortProfileState) -> Exception:
    return failed(
        f"command '{command}' cannot be executed on current state: '{state.value} on profile_id({profile_id})."
    )


def _check_may_pause(profile: PortProfile, bursts: bool) -> None:
    if not bursts and any(one.enabled and one.mode is not StreamMode.CONTINUOUS for one in profile.running):
        raise failed("pause is supported when all streams are in continues mode")
    if not profile.endless:
        raise failed("pause is supported when duration is not enable is start command")


def _check_reached(streams: list[Stream]) -> None:
    """Refuse streams that nothing would ever start."""
    by_id = {stream.id: stream for stream in streams}
    due = [stream for stream in streams if stream.self_start]
    reached: set[int] = set()
    while due:
        stream = due.pop()
        if stream.id not in reached:
            reached.add(stream.id)
            due += [by_id[stream.next_id]] if stream.next_id in by_id else []
    lost = [number for number, stream in by_id.items() if stream.enabled and number not in reached]
    if lost:
        raise failed(
            f"nothing starts stream {lost[0]}: set its self_start, or make it the next stream of one that is sent"
        )


def _check_there(command: str, profile_id: str, profile: PortProfile, stream_ids: list[int]) -> None:
    for stream_id in stream_ids:
        if stream_id not in profile.streams:
            raise failed(f"{command}: stream {stream_id} does not exists in profile_id({profile_id})")


def _chosen(profile: PortProfile, stream_ids: list[int]) -> list[Stream]:
    by_id = {stream.id: stream for stream in profile.running}
    return [by_id[stream_id] for stream_id in stream_ids]
