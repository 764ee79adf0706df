"""What the control plane asks of the data plane about packets that are sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol


class SflowDirection(IntEnum):
    """Which packets of a port are looked at: those that it receives, sends, or both."""

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


class SflowCore(Protocol):
    """A part of `wirespeed.seam.router.RouterCore`."""

    def set_sflow(self, settings: SflowSettings) -> None: ...
    def sflow(self) -> tuple[SflowSettings, SflowCounters]: ...
    def enable_sflow(self, index: int, on: bool) -> None:
        """UsageError when it is so already, and for what is not a port."""

    def is_sflow_enabled(self, index: int) -> bool: ...
    def take_sflow_samples(self) -> Sequence[SflowSample]:
        """Some of those that wait, the oldest first; none when all are taken."""
