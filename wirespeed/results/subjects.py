"""Rates of a result's verdict, and the subjects by which results are compared and listed. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import PurePath

from wirespeed.results.channel import Channel
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.verdict import Mark, Verdict

Judge = Callable[[MeasurementResult], Verdict]
"""The verdict on a result; `wirespeed.explain.verdicts` makes it."""
UNNAMED = "unnamed"
"""The DUT of results that do not name theirs."""


@dataclass(frozen=True, order=True)
class Subject:
    """The subject of a measurement, by which results are compared: `load` is the profile with its tunables, `figure`
    the measured quantity, such as NDR. `dut` is empty if it is the same everywhere."""

    kind: str
    load: str
    directions: str
    figure: str
    dut: str = ""

    @property
    def title(self) -> str:
        return f"{self.figure} of {self.load}, {self.directions}{f', through {self.dut}' if self.dut else ''}"


@dataclass(frozen=True)
class Value:
    """Packets per second, all directions together. `at_least`: something other than the device ended it, which `bound`
    names; `upper_pps` is the upper bound of a search. `irregular` says why it should not be believed; empty where it
    should. `low_pps` and `high_pps` are the range of the `samples` of an estimate."""

    rate_pps: float
    at_least: bool = False
    irregular: str = ""
    bound: str = ""
    mark: Mark = "held"
    loss_ratio: float | None = None
    line_percent: float | None = None
    upper_pps: float | None = None
    samples: int = 0
    low_pps: float | None = None
    high_pps: float | None = None

    @property
    def limits_pps(self) -> tuple[float, float]:
        """Where the limit of the DUT lies. That of an estimate is between its highest sample and the next one, since
        the load rose in equal steps."""
        if self.mark != "estimate" or self.low_pps is None or self.high_pps is None or not self.samples:
            return self.rate_pps, self.upper_pps or self.rate_pps
        steps = self.samples - 1
        step_pps = (self.high_pps - self.low_pps) / steps if steps else self.high_pps
        return self.high_pps, self.high_pps + step_pps


OF_FIGURE = tuple(one.name for one in fields(Value) if one.name not in ("at_least", "irregular"))
"""Names of the fields that a value copies from its figure."""


def figures(result: MeasurementResult, verdict: Verdict) -> Iterator[tuple[Subject, Value]]:
    """The figures of a result's verdict that are rates above 0."""
    return ((subject, value) for subject, value in rates(result, verdict) if value.rate_pps)


def rates(result: MeasurementResult, verdict: Verdict) -> Iterator[tuple[Subject, Value]]:
    """The figures of a result's verdict that are rates, 0 where nothing came back."""
    load, ways = load_of(result), directions_of(result.channels)
    ended = f"the test is {verdict.status}" if result.needs_end and verdict.status != "complete" else ""
    for figure in verdict.figures:
        if figure.rate_pps is not None:
            irregular = ended or (figure.why if figure.mark == "irregular" else "")
            common = {name: getattr(figure, name) for name in OF_FIGURE}
            value = Value(at_least=bool(figure.bound), irregular=irregular, **common)
            yield Subject(verdict.kind, load, ways, figure.name), value


def dut_of(result: MeasurementResult) -> str:
    """Name of the DUT."""
    return result.dut.name or UNNAMED


def load_of(result: MeasurementResult) -> str:
    """The profile with its settings."""
    profile = PurePath(result.profile).stem
    settings = str(result.variables.tunables or "")
    return f"{profile} {settings}".strip()


def directions_of(channels: tuple[Channel, ...]) -> str:
    return ", ".join(str(one) for one in channels) or "all directions"
