"""Tests grouped by the load that they carried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirespeed.measurement.loadtest.analysis import Analysis
from wirespeed.measurement.search.result import SearchResult
from wirespeed.pages.words import words

SAME_SIZE = 0.05  # mean frame sizes of an imix differ by less from run to run, the sizes people choose by more


@dataclass(frozen=True)
class Load:
    """What was sent, whoever forwarded it: profile, tunables and the mean frame on the wire."""

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


@dataclass(frozen=True)
class Group:
    """The tests that carried the same load, in the order given."""

    load: Load
    tests: tuple[Analysis, ...]


def group_by_load(tests: Sequence[Analysis]) -> tuple[Group, ...]:
    """Groups in the order in which their loads first occur."""
    groups: list[Group] = []
    for test in tests:
        load = load_of(test)
        for index, group in enumerate(groups):
            if load.like(group.load):
                groups[index] = Group(group.load, (*group.tests, test))
                break
        else:
            groups.append(Group(load, (test,)))
    return tuple(groups)


def load_of(test: Analysis) -> Load:
    result = test.result
    return Load(Path(result.profile).stem, _tunables(result.variables.get("tunables")), test.frame_bytes)


def load_of_search(search: SearchResult) -> Load:
    sizes = [search.frame_bytes[wire.tx] for wire in search.directions if wire.tx in search.frame_bytes]
    frame_bytes = sum(sizes) / len(sizes) if sizes else None
    return Load(Path(search.profile).stem, _tunables(search.variables.get("tunables")), frame_bytes)


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
