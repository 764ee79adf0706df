"""A profile: a set of streams of a port that start and stop together, as in T-Rex.

IDLE     no streams
STREAMS  streams, standing still
TX       sending
PAUSE    sending held back
PCAP_TX  sending a packet file
"""

from __future__ import annotations

import enum
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wirespeed._native.flow_records import FlowKind
from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.load import PortRates, Timeline
from wirespeed.generator.translation import Translated

if TYPE_CHECKING:
    from wirespeed.profiles.stream_json import StreamJson

Json = dict[str, Any]

STREAM_BYTES = 2048
"""Memory of a stream, in addition to its JSON and its packet."""


class PortProfileState(enum.Enum):
    IDLE = "IDLE"
    STREAMS = "STREAMS"
    TX = "TX"
    PAUSE = "PAUSE"
    PCAP_TX = "PCAP_TX"


@dataclass(frozen=True)
class AddedStream:
    """A stream in three forms: the received JSON (its length is the memory that it counts for), the parsed stream, and
    the core's record."""

    text: bytes
    source: StreamJson
    translated: Translated

    @property
    def json(self) -> Json:
        added: Json = json.loads(self.text)
        return added

    @property
    def held_bytes(self) -> int:
        return STREAM_BYTES + len(self.text) + 2 * len(self.translated.stream.packet)


@dataclass
class Tally:
    """Totals over the profiles of a port, updated with each change. `states` counts profiles by state. Of those that
    send, `load` is the sum and `ending` the number that may end by themselves; `timing` counts running profiles with
    latency streams."""

    states: Counter[PortProfileState] = field(default_factory=Counter)
    load: PortRates = field(default_factory=PortRates)
    ending: int = 0
    timing: int = 0

    def count(self, profile: PortProfile, sign: int) -> None:
        """Count `profile` in its current state, or remove it from the count."""
        self.states[profile.state] += sign
        self.timing += sign * profile.times
        if profile.state is PortProfileState.TX:
            self.ending += sign * profile.may_end
            # Nothing is left of what was rounded once none sends.
            self.load = self.load + profile.load.times(sign) if self.states[PortProfileState.TX] else PortRates()


@dataclass
class PortProfile:
    """Streams that start and stop together; `number` is what the core calls them, `tally` is its port's."""

    tally: Tally
    number: int = 0
    streams: dict[int, AddedStream] = field(default_factory=dict)
    state: PortProfileState = PortProfileState.IDLE
    factor: float = 1.0
    endless: bool = True
    ends_at_s: float = 0.0
    """End of its duration, unless it is endless."""
    running: tuple[Stream, ...] = ()
    loads: Timeline = field(default_factory=lambda: Timeline((), None))
    """Loads of the running streams, with factors of single streams included."""
    own_factors: dict[int, float] = field(default_factory=dict)
    """Factors of streams that were updated individually, multiplied by `factor`."""
    load: PortRates = field(default_factory=PortRates)
    """The highest load of what runs; nothing when it does not."""
    times: bool = False
    """A latency stream runs."""
    may_end: bool = False
    """The running streams end by themselves: they have a duration, or are bursts only."""

    def __post_init__(self) -> None:
        self.tally.count(self, 1)

    def ends_within_s(self, now_s: float) -> float | None:
        """Seconds until the running profile may end; None if it is endless."""
        if all(one.mode is not StreamMode.CONTINUOUS for one in self.running):
            return 0.0
        return None if self.endless else max(0.0, self.ends_at_s - now_s)

    def become(self, state: PortProfileState, **others: Any) -> None:
        """Change the state, and `others` of the fields, so that the tally stays right."""
        self.tally.count(self, -1)
        self.state = state
        for name, value in others.items():
            setattr(self, name, value)
        self.tally.count(self, 1)

    def start(self, factor: float, streams: Sequence[Stream], loads: Timeline, ends_at_s: float | None) -> None:
        """`ends_at_s` is None of a run without an end."""
        endless = ends_at_s is None
        self.ends_at_s = ends_at_s or 0.0
        goes_on = endless and any(one.mode is StreamMode.CONTINUOUS for one in streams)
        times = any(one.flow_kind is FlowKind.LATENCY for one in streams)
        self.factor, self.endless, self.running, self.loads = factor, endless, tuple(streams), loads
        self.own_factors = {}
        self.become(PortProfileState.TX, load=loads.peak(factor), may_end=not goes_on, times=times)

    def end(self) -> None:
        self.running, self.own_factors = (), {}
        self.become(PortProfileState.STREAMS, load=PortRates(), may_end=False, times=False)

    def settle(self) -> None:
        """After streams came or went while nothing was sent."""
        self.become(PortProfileState.STREAMS if self.streams else PortProfileState.IDLE)

    def scaled(self, own_factors: dict[int, float]) -> list[Stream]:
        """The running streams, with these factors of single streams."""
        return [
            replace(one, rate_pps=one.rate_pps * own_factors[one.id]) if one.id in own_factors else one
            for one in self.running
        ]

    def mean_frames(self) -> dict[int, float]:
        return {number: added.translated.mean_frame_bytes for number, added in self.streams.items()}
