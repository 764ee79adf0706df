"""A port of a strict T-Rex: its owner, profiles and their states, sent packets, attributes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trex_fields import Dead, Fields, Refused
from trex_streams import Stream, factor_of, l1_bps

from wirespeed.units import MIN_FRAME_BYTES

ACTIVE = ("TX", "PAUSE")
_STARTED, _STOPPED, _PAUSED, _RESUMED, _DONE, _ERROR = 0, 1, 2, 3, 4, 7
_OF_PROFILE = 10
"""Numbers of a profile's events exceed those of the port's own by this."""

Tell = Callable[[int, dict[str, Any]], None]


@dataclass
class Profile:
    streams: dict[int, Stream] = field(default_factory=dict)
    state: str = "IDLE"
    factor: float = 1.0
    timed: bool = False
    ends_s: float = math.inf

    def rest(self) -> None:
        self.state = "STREAMS" if self.streams else "IDLE"


@dataclass
class Port:
    """`tell` publishes an event of the port. `history` has the rates since the start: time, packets and bytes per
    second; `rates_asked` are those that a request set, in packets per second. A packet file is replayed until
    `playing_until_s`, or found to be invalid at `failing_at_s`.
    """

    index: int
    line_bps: float
    hw_mac: str
    peer_mac: str
    tell: Tell
    owner: str = ""
    session: int = 0
    handler: str = ""
    service: bool = False
    filtered: bool = False
    queue_size: int | None = None
    link_up: bool = True
    profiles: dict[str, Profile] = field(default_factory=lambda: {"_": Profile()})
    history: list[tuple[float, float, float]] = field(default_factory=lambda: [(0.0, 0.0, 0.0)])
    rates_asked: list[float] = field(default_factory=list)
    attributes: dict[str, Any] = field(default_factory=dict)
    playing_until_s: float | None = None
    failing_at_s: float | None = None

    # ---- owner

    def check_owner(self, handler: str) -> None:
        if not self.owner:
            raise Refused("please acquire the port before modifying port state")
        if handler != self.handler:
            raise Refused("port is not owned by you or your current executing session")

    # ---- state

    @property
    def state(self) -> str:
        if self.playing_until_s is not None:
            return "PCAP_TX"
        states = [profile.state for profile in self.profiles.values()]
        return next((state for state in ("TX", "PAUSE", "STREAMS") if state in states), "IDLE")

    @property
    def active(self) -> bool:
        return self.state in (*ACTIVE, "PCAP_TX")

    @active.setter
    def active(self, sends: bool) -> None:
        """True while the port sends; its counters go on in any case."""
        if sends:
            self.profiles["_"].state = "TX"
        else:
            self.profiles["_"].rest()

    @property
    def streams(self) -> dict[int, Stream]:
        """The streams of the first profile."""
        return self.profiles["_"].streams

    def known(self, name: str) -> Profile:
        if name not in self.profiles:
            raise Refused(f"profile_id {name} does not exists")
        return self.profiles[name]

    def named(self, name: str) -> list[Profile]:
        return [self.profiles[name]] if name in self.profiles else []

    def must_not_send(self, command: str, name: str) -> None:
        state = self.profiles[name].state if name in self.profiles else "IDLE"
        if state in ACTIVE:
            raise _wrong_state(command, state, name)

    def start(self, name: str, params: Fields, at_s: float) -> dict[str, Any]:
        profile = self.known(name)
        if profile.state != "STREAMS":
            raise _wrong_state("start", profile.state, name)
        for stream in profile.streams.values():
            following = stream.raw["next_stream_id"]
            if following >= 0 and following not in profile.streams:
                raise Refused(f"stream id {following} does not exists")
        force = params.truth("force")
        if not (self.link_up or force):
            raise Refused("Link state is DOWN.")
        factor = self._factor(profile, params.inner("mul"), force)
        duration = params.real("duration")
        profile.timed = duration > 0
        profile.factor = factor
        profile.ends_s = at_s + min(duration if duration > 0 else math.inf, self._lasts_s(profile))
        self._become(name, "TX", _STARTED, at_s)
        self.rates_asked.append(self.pps[0])
        return {"multiplier": factor, "ts": at_s}

    def update(self, name: str, params: Fields, at_s: float) -> dict[str, Any]:
        profile = self.known(name)
        if profile.state not in ACTIVE:
            raise _wrong_state("update", profile.state, name)
        profile.factor = self._factor(profile, params.inner("mul"), params.truth("force"))
        self._note(at_s)
        self.rates_asked.append(self.pps[0])
        return {"multiplier": profile.factor}

    def pause(self, name: str, at_s: float) -> None:
        profile = self.known(name)
        if profile.state != "TX":
            raise _wrong_state("pause", profile.state, name)
        if profile.timed:
            raise Refused(" pause is supported when duration is not enable is start command ")
        self._become(name, "PAUSE", _PAUSED, at_s)

    def resume(self, name: str, at_s: float) -> None:
        profile = self.known(name)
        if profile.state != "PAUSE":
            raise _wrong_state("resume", profile.state, name)
        self._become(name, "TX", _RESUMED, at_s)

    def stop(self, name: str, at_s: float) -> None:
        for one in list(self.profiles) if name == "*" else [name]:
            if one in self.profiles and self.profiles[one].state in ACTIVE:
                self._become(one, "STREAMS", _STOPPED, at_s)
                self.rates_asked.append(self.pps[0])
        if self.playing_until_s is not None:
            self.playing_until_s = None
            self.tell(_STOPPED, {"port_id": self.index})

    def finish(self, name: str, at_s: float) -> None:
        """The duration is over, or the last burst was sent."""
        self._become(name, "STREAMS", _DONE, at_s)

    def tick(self, now_s: float) -> None:
        for name, profile in self.profiles.items():
            if profile.state == "TX" and profile.ends_s <= now_s:
                self.finish(name, profile.ends_s)
        if self.playing_until_s is not None and self.playing_until_s <= now_s:
            self.playing_until_s = None
            self.tell(_DONE, {"port_id": self.index})
        if self.failing_at_s is not None and self.failing_at_s <= now_s:
            self.failing_at_s = None
            self.tell(_ERROR, {"port_id": self.index})
            self.tell(_DONE, {"port_id": self.index})

    def _become(self, name: str, state: str, event: int, at_s: float) -> None:
        """Set a profile's state; its event is published first, then the port's."""
        self.profiles[name].state = state
        self._note(at_s)
        self.tell(event + _OF_PROFILE, {"port_id": self.index, "profile_id": name})
        self.tell(event, {"port_id": self.index})

    def _factor(self, profile: Profile, mul: Fields, force: bool) -> float:
        factor = factor_of(profile.streams, mul, self.line_bps, profile.factor)
        if math.isfinite(factor) and not force and self.line_bps:
            asked = l1_bps(profile.streams, factor, self.line_bps)
            if asked > self.line_bps * 1.0001:
                line, wanted = self.line_bps / 1e9, asked / 1e9
                raise Refused(f"Expected L1 B/W: '{wanted:g} Gbps' exceeds port line rate: '{line:g} Gbps'")
        return factor

    def _lasts_s(self, profile: Profile) -> float:
        return max(
            (self._chain_s(profile.streams, one, profile.factor) for one in profile.streams.values() if _begins(one)),
            default=math.inf,
        )

    def _chain_s(self, streams: Mapping[int, Stream], stream: Stream, factor: float) -> float:
        """Duration of a stream and those that follow it; a stream that returns to itself ends after its number of
        rounds, or never.
        """
        seen: list[int] = []
        whole = 0.0
        while True:
            seen.append(stream.number)
            whole += stream.lasts_s(factor, self.line_bps)
            following, rounds = stream.raw["next_stream_id"], stream.raw["action_count"]
            if following < 0:
                return whole
            if following in seen:
                return whole * rounds if rounds else math.inf
            stream = streams[following]

    # ---- sent packets

    def _note(self, at_s: float) -> None:
        pps = bps = 0.0
        for profile in self.profiles.values():
            if profile.state == "TX":
                for stream in profile.streams.values():
                    speed = stream.weight_pps(self.line_bps) * (1 if stream.fixed else profile.factor)
                    pps, bps = pps + speed, bps + speed * stream.frame_bytes
        self.history.append((at_s, round(pps, 6), bps))

    def set_pps(self, pps: float, at_s: float) -> None:
        """Send at this rate, whatever was requested."""
        self.rates_asked.append(pps)
        self.history.append((at_s, pps, pps * MIN_FRAME_BYTES))

    def spans(self, until_s: float) -> Iterator[tuple[float, float, float, float]]:
        """Intervals of constant rate: start, end, packets per second, bytes per packet."""
        ends = [since for since, _, _ in self.history[1:]] + [until_s]
        frame_bytes = MIN_FRAME_BYTES * 1.0
        for (since, pps, bps), end in zip(self.history, ends, strict=True):
            frame_bytes = bps / pps if pps else frame_bytes
            if min(end, until_s) > since:
                yield since, min(end, until_s), pps, frame_bytes

    def sent(self, until_s: float, most_pps: float = math.inf) -> tuple[int, int]:
        """Packets and bytes sent by `until_s` at a rate of at most `most_pps`."""
        packets, octets = 0, 0.0
        for since, end, pps, frame_bytes in self.spans(until_s):
            sent = int(min(pps, most_pps) * (end - since))  # integers, so that all sums agree
            packets, octets = packets + sent, octets + sent * frame_bytes
        return packets, int(octets)

    def sent_of(self, stream: Stream, until_s: float) -> float:
        """Packets of one stream: streams of a fixed rate come first, the others share the rest by weight."""
        if stream.fixed:
            return sum(
                (end - since) * stream.rate_pps(self.line_bps) for since, end, pps, _ in self.spans(until_s) if pps
            )
        streams = [one for profile in self.profiles.values() for one in profile.streams.values()]
        fixed = sum(self.sent_of(one, until_s) for one in streams if one.fixed)
        part = stream.weight_pps(self.line_bps) / sum(one.weight_pps(self.line_bps) for one in streams if not one.fixed)
        return (self.sent(until_s)[0] - fixed) * part

    @property
    def pps(self) -> tuple[float, float]:
        """Packets and bytes per second now."""
        return self.history[-1][1:]

    # ---- answers about the port

    def _queue_info(self) -> dict[str, Any]:
        if self.queue_size is None:
            return {}
        return {"queue": {"count": 0, "is_active": True, "size": self.queue_size}}

    def status(self, profile: str | None) -> dict[str, Any]:
        attributes = {
            "fc": {"mode": -1},
            "layer_cfg": {
                "ether": {"dst": self.peer_mac, "src": self.hw_mac, "state": "configured"},
                "ipv4": {"state": "none"},
                "ipv6": {"enabled": False},
            },
            "link": {"up": self.link_up},
            "multicast": {"enabled": False},
            "promiscuous": {"enabled": False},
            "rx_filter_mode": "hw",
            "speed": self.line_bps / 1e9,
            "vlan": {"tags": []},
            "vxlan_fs": [],
            **self.attributes,
        }
        kinds = ("capture_port", "capwap_proxy", "grat_arp", "latency", "queue", "stack")
        told = {
            "attr": attributes,
            "max_stream_id": max((one for each in self.profiles.values() for one in each.streams), default=0),
            "owner": self.owner,
            "profile_count": len(self.profiles),
            "rx_info": {kind: {"is_active": kind == "stack"} for kind in kinds} | self._queue_info(),
            "service": self.service,
            "service_filtered": self.filtered,
            "state": self.state,
        }
        if profile == "*":
            told["state_profile"] = {name: one.state for name, one in self.profiles.items()}
        elif profile is not None:
            told["state_profile"] = self.profiles[profile].state
        return told


def _begins(stream: Stream) -> bool:
    return bool(stream.raw["self_start"] and stream.raw["enabled"])


def _wrong_state(command: str, state: str, name: str) -> Refused:
    return Refused(f"command '{command}' cannot be executed on current state: '{state} on profile_id({name}).")


def must_live(port: Port, profile: Any) -> None:
    """Dead if the port does not have the profile."""
    if profile not in port.profiles:
        raise Dead(f"profile {profile!r}, which port {port.index} does not have")
