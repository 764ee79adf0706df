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
    """A packet of `packet_bytes` that came in by port `input` and, where `is_output`, was about to leave by `output`;
    either is None where there is none."""

    sampling_rate: int
    packet_bytes: int
    input: int | None
    output: int | None
    is_output: bool
    header: bytes


@dataclass(frozen=True)
class SflowCounters:
    """`dropped` samples found no room, since nobody took those before them in time."""

    sampled: int = 0
    dropped: int = 0
