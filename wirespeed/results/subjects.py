"""What of a result is compared and listed: rates, each with whether it is only a lower bound. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from wirespeed.results.analysis import Analysis, analyse
from wirespeed.results.channel import Channel
from wirespeed.results.file import AnyResult
from wirespeed.results.loadtest import Result
from wirespeed.results.rfc2544 import Rfc2544Result
from wirespeed.results.search import SearchResult


@dataclass(frozen=True, order=True)
class Subject:
    """What makes two measurements ones of the same thing, whatever forwarded: `load` is the profile with its
    settings, `figure` what was measured of it, such as NDR. `box` is empty where it goes without saying."""

    kind: str
    load: str
    directions: str
    figure: str
    box: str = ""

    @property
    def title(self) -> str:
        return f"{self.figure} of {self.load}, {self.directions}{f', through {self.box}' if self.box else ''}"


@dataclass(frozen=True)
class Value:
    """Packets a second. `at_least`: something other than the device ended it. `irregular` says why it should not be
    believed; empty where it should."""

    rate_pps: float
    at_least: bool = False
    irregular: str = ""


def figures(result: AnyResult, analysis: Analysis | None = None) -> Iterator[tuple[Subject, Value]]:
    """All of a result that are known and above 0; none of a soak, whose losses are no rates. `analysis` is a load
    test's own, where it is made already."""
    if isinstance(result, Result):
        yield from _loadtest(result, analysis or analyse(result))
    elif isinstance(result, SearchResult):
        yield from _search(result)
    elif isinstance(result, Rfc2544Result):
        yield from _rfc2544(result)


def _loadtest(result: Result, analysis: Analysis) -> Iterator[tuple[Subject, Value]]:
    load, ways = load_of(result), directions_of(result.channels)
    curve = analysis.curves[-1]
    irregular = "" if result.outcome.status == "complete" else f"the test is {result.outcome.status}"
    for figure, rate in (("most received", curve.max_pps), ("held", curve.held_pps)):
        if rate:
            yield Subject("loadtest", load, ways, figure), Value(rate, curve.tester_limited, irregular)


def _search(result: SearchResult) -> Iterator[tuple[Subject, Value]]:
    load, ways = load_of(result), directions_of(result.directions)
    for goal in result.goals:
        if goal.lower_pps:
            at_least = goal.limit in ("tester", "machine")
            yield (
                Subject("search", load, ways, goal.goal.name.upper()),
                Value(goal.lower_pps, at_least, goal.irregular if not at_least else ""),
            )


def _rfc2544(result: Rfc2544Result) -> Iterator[tuple[Subject, Value]]:
    load, ways = load_of(result), directions_of(result.directions)
    for row in result.throughput:
        if row.throughput_pps:
            irregular = row.irregular if not row.is_at_least else ""
            yield (
                Subject("rfc2544", load, ways, f"throughput at {row.frame}"),
                Value(row.throughput_pps, row.is_at_least, irregular),
            )


def box_of(result: AnyResult) -> str:
    """What forwarded."""
    return str(result.dut.get("name") or "unknown")


def load_of(result: AnyResult) -> str:
    """The profile with its settings."""
    profile = PurePath(str(result.variables.get("profile_file") or "unknown")).stem
    settings = str(result.variables.get("tunables") or "")
    return f"{profile} {settings}".strip()


def directions_of(channels: tuple[Channel, ...]) -> str:
    return ", ".join(str(one) for one in channels) or "all directions"
