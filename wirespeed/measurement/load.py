"""The load that a result is of: what was sent, whoever forwarded it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult

SAME_SIZE = 0.05  # mean frame sizes of an imix differ by less from run to run, the sizes people choose by more


@dataclass(frozen=True)
class Load:
    """Profile, tunables and the mean frame on the wire."""

    profile: str
    tunables: str
    frame_bytes: float | None

    @property
    def name(self) -> str:
        parts = [self.profile, self.tunables]
        if self.frame_bytes is not None and "size=" not in self.tunables:
            parts.append(f"{self.frame_bytes:.0f}-byte frames")
        return " ".join(part for part in parts if part)

    def like(self, other: Load) -> bool:
        """Whether both put the same work to a router, as far as the files say."""
        if self.profile != other.profile or sorted(self.tunables.split(",")) != sorted(other.tunables.split(",")):
            return False
        if self.frame_bytes is None or other.frame_bytes is None:
            return self.frame_bytes is other.frame_bytes
        return abs(self.frame_bytes - other.frame_bytes) <= SAME_SIZE * other.frame_bytes


def load_of(result: MeasurementResult) -> Load:
    """The load of a result that keeps the mean frames of its ports."""
    sizes = [result.frame_bytes[wire.tx] for wire in result.directions if wire.tx in result.frame_bytes]
    return load_with(result, sum(sizes) / len(sizes) if sizes else None)


def load_with(result: MeasurementResult, frame_bytes: float | None) -> Load:
    """The load of a result whose frames had `frame_bytes` in the mean."""
    return Load(Path(result.profile).stem, _tunables(result.variables.get("tunables")), frame_bytes)


def _tunables(value: Any) -> str:
    match value:
        case None:
            return ""
        case dict():
            return ",".join(f"{key}={_tunable(item)}" for key, item in value.items())
        case list():
            return " ".join(map(_tunable, value))
        case _:
            return _tunable(value)


def _tunable(value: Any) -> str:
    """As it would stand on a command line, where a truth is `true`."""
    return str(value).lower() if isinstance(value, bool) else words(value)
