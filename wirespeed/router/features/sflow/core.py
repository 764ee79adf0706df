"""Values of packets that are sampled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class SflowDirection(IntEnum):
    """Packets of a port that are sampled: those that it receives, sends, or both."""

    RX = 1
    TX = 2
    BOTH = 3


@dataclass(frozen=True)
class SflowSettings:
    """One packet of `sampling_rate` is chosen, of which the first `header_bytes` are kept."""

    sampling_rate: int = 10000
    header_bytes: int = 128
    direction: SflowDirection = SflowDirection.RX


@dataclass(frozen=True)
class SflowSample:
    """A packet of `packet_bytes`, received on port `input` and, if `is_output`, about to be sent on `output`; either
    may be None."""

    sampling_rate: int
    packet_bytes: int
    input: int | None
    output: int | None
    is_output: bool
    header: bytes


@dataclass(frozen=True)
class SflowCounters:
    """`dropped` samples had no room, since earlier ones were not fetched in time."""

    sampled: int = 0
    dropped: int = 0
