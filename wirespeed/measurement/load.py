"""The load of a result: the traffic sent, independent of the DUT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from wirespeed.pages.duts import BESIDE, dut_name
from wirespeed.pages.loads import load_title
from wirespeed.pages.words import words
from wirespeed.results.measurement import MeasurementResult

AResult = TypeVar("AResult", bound=MeasurementResult)
SAME_SIZE = 0.05  # mean frame sizes of an imix differ by less from run to run, the sizes people choose by more


@dataclass(frozen=True)
class ResultLoad:
    """Profile, tunables and the mean frame on the wire; `group` is what the test called it."""

    profile: str
    tunables: str
    frame_bytes: float | None
    group: str = ""

    @property
    def name(self) -> str:
        parts = [self.profile, self.tunables]
        if self.frame_bytes is not None and "size=" not in self.tunables:
            parts.append(f"{self.frame_bytes:.0f}-byte frames")
        return " ".join(part for part in parts if part)

    @property
    def title(self) -> str:
        """Its usual name: `64b many flows`."""
        return self.group or load_title(self.name)

    def like(self, other: ResultLoad) -> bool:
        """True if both are the same work for a router, as far as the files say."""
        if self.group and other.group and self.group != other.group:
            return False
        if self.profile != other.profile or sorted(self.tunables.split(",")) != sorted(other.tunables.split(",")):
            return False
        if self.frame_bytes is None or other.frame_bytes is None:
            return self.frame_bytes is other.frame_bytes
        return abs(self.frame_bytes - other.frame_bytes) <= SAME_SIZE * other.frame_bytes


@dataclass(frozen=True)
class LoadGroup(Generic[AResult]):
    """The results of the same load, in the order given."""

    load: ResultLoad
    results: tuple[AResult, ...]


def load_of(result: MeasurementResult) -> ResultLoad:
    """The load that a result is of."""
    tunables = _tunables(result.variables.tunables)
    return ResultLoad(Path(result.profile).stem, tunables, result.mean_frame_bytes, words(result.variables.group))


def subject_of(result: MeasurementResult) -> str:
    """Load and device, as a picture of the result names them: `64b one flow: router`."""
    return f"{load_of(result).title}: {dut_name(result)}"


def group_by_load(results: Iterable[AResult]) -> tuple[LoadGroup[AResult], ...]:
    """Groups in the order in which their loads first occur; the first result names the load."""
    groups: list[LoadGroup[AResult]] = []
    for result in results:
        load = load_of(result)
        for index, group in enumerate(groups):
            if load.like(group.load):
                groups[index] = LoadGroup(group.load, (*group.results, result))
                break
        else:
            groups.append(LoadGroup(load, (result,)))
    return tuple(groups)


def beside(result: MeasurementResult, load: ResultLoad, others: Iterable[MeasurementResult]) -> list[MeasurementResult]:
    """The results among `others` of the same router, load and directions. For routers without a name, the result with
    the name of the test."""
    return [
        other
        for other in others
        if load_of(other).like(load) and set(other.directions) == set(result.channels) and _same_dut(result, other)
    ]


def _same_dut(result: MeasurementResult, other: MeasurementResult) -> bool:
    if not result.dut.name and not other.dut.name:
        return other.name == f"{result.name}{BESIDE}"
    return result.dut.name == other.dut.name


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
    """The value as text of a command line; a boolean is `true` or `false`."""
    return str(value).lower() if isinstance(value, bool) else words(value)
