"""What the results of all kinds of measurement have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

from wirespeed.results.channel import Channel
from wirespeed.results.ending import Ending
from wirespeed.results.outcome import PortFacts
from wirespeed.units import line_rate_pps


@dataclass(frozen=True)
class MeasurementResult(ABC):
    """The head of a result. `kind` is the command that measures. `ports` are the tester's, by number; `directions`
    those that it sent in; `frame_bytes` the mean lengths that each port sent, with FCS, where the kind keeps them."""

    kind: ClassVar[str]

    name: str
    variables: Mapping[str, Any]
    directions: tuple[Channel, ...] = field(default=(), kw_only=True)
    versions: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    lab: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    dut: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    ports: Mapping[int, PortFacts] = field(default_factory=dict, kw_only=True)
    frame_bytes: Mapping[int, float] = field(default_factory=dict, kw_only=True)
    ending: Ending = field(default=Ending(), kw_only=True)

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """True where nothing was measured."""

    @property
    def profile(self) -> str:
        return str(self.variables.get("profile_file") or "unknown")

    @property
    def line_pps(self) -> float | None:
        """What the narrowest line carries of the frames that were sent on it; None without a line speed."""
        lines = [
            line_rate_pps(self.frame_bytes[wire.tx], speed)
            for wire in self.directions
            if wire.tx in self.ports and (speed := self.ports[wire.tx].speed_bps) and wire.tx in self.frame_bytes
        ]
        return min(lines) if lines else None

    def noted(self, note: str) -> Self:
        """The same with one more sentence about the whole measurement."""
        return replace(self, ending=replace(self.ending, notes=(*self.ending.notes, note)))
