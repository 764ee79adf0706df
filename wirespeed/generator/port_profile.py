"""What a port can run: a set of streams that start and stop together, T-Rex's profile.

IDLE     no streams
STREAMS  streams, standing still
TX       sending
PAUSE    sending held back
PCAP_TX  sending a packet file
"""

from __future__ import annotations

import enum
import json
from dataclasses import dataclass, field, replace
from typing import Any

from wirespeed._native.stream_records import Stream, StreamMode
from wirespeed.generator.load import Load, Timeline, timeline
from wirespeed.generator.translation import Translated
from wirespeed.profiles.stream_json import StreamJson

Json = dict[str, Any]

STREAM_BYTES = 2048
"""What a stream takes beside its JSON and its packet."""


class State(enum.Enum):
    IDLE = "IDLE"
    STREAMS = "STREAMS"
    TX = "TX"
    PAUSE = "PAUSE"
    PCAP_TX = "PCAP_TX"


@dataclass(frozen=True)
class AddedStream:
    """A stream as it came (JSON, whose length tells what it takes), as it was understood, and as the core takes it."""

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
class Profile:
    """Streams that start and stop together; `number` is what the core calls them."""

    number: int = 0
    streams: dict[int, AddedStream] = field(default_factory=dict)
    state: State = State.IDLE
    factor: float = 1.0
    endless: bool = True
    ends_at_s: float = 0.0
    """When its duration is over, unless it is endless."""
    running: tuple[Stream, ...] = ()
    own_factors: dict[int, float] = field(default_factory=dict)
    """Of streams that were updated by themselves: times `factor`."""
    load: Load = field(default_factory=Load)
    """The highest load of what runs; nothing when it does not."""

    def ends_within_s(self, now_s: float) -> float | None:
        """How soon it may come to its end while it runs; None where it is endless."""
        if all(one.mode is not StreamMode.CONTINUOUS for one in self.running):
            return 0.0
        return None if self.endless else max(0.0, self.ends_at_s - now_s)

    def load_at(self, factor: float, own_factors: dict[int, float]) -> Load:
        """The highest load of what runs, if these were its factors."""
        return self.timeline(own_factors).peak(factor)

    def timeline(self, own_factors: dict[int, float]) -> Timeline:
        scaled = [
            replace(one, rate_pps=one.rate_pps * own_factors[one.id]) if one.id in own_factors else one
            for one in self.running
        ]
        return timeline(scaled, self.mean_frames())

    def mean_frames(self) -> dict[int, float]:
        return {number: added.translated.mean_frame_bytes for number, added in self.streams.items()}
