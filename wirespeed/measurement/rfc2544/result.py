"""The results of the tests of RFC 2544 as values: throughput, latency, frame loss rate, back-to-back frames, system
recovery and reset, with the formulas that their reports call for.

Terms are those of RFC 1242 and RFC 2285. Loads are frames per second of each direction; a frame size counts the FCS.
Sections named without an RFC are those of RFC 2544.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Annotated, ClassVar, Literal, get_args

from wirespeed.measurement.rfc.loss import LossPoint
from wirespeed.measurement.rfc.method import Conforming
from wirespeed.measurement.rfc.result import RfcResult, RfcTrial
from wirespeed.measurement.shown import short_repr
from wirespeed.results.codec import SPARSE, Stored
from wirespeed.results.search_trial import StoredLimit
from wirespeed.results.settings import Settings

Test = Literal["throughput", "latency", "frame-loss", "back-to-back", "recovery", "reset"]

TESTS: tuple[Test, ...] = get_args(Test)

SECTIONS: Mapping[Test, str] = {
    "throughput": "RFC 2544 §26.1",
    "latency": "RFC 2544 §26.2",
    "frame-loss": "RFC 2544 §26.3",
    "back-to-back": "RFC 9004 (RFC 2544 §26.4)",
    "recovery": "RFC 2544 §26.5",
    "reset": "RFC 6201 (RFC 2544 §26.6)",
}


@dataclass(frozen=True)
class Method(Conforming):
    """Parameters of the tests. Waits are those of §23: after learning frames, for residual frames, to restabilise.
    `resolution` is the relative distance between a load or burst that was found and the next that fails. `protocol` and
    `stream_format` describe the frames; `exceptions` lists, by test, the deviations from the RFC."""

    sections: ClassVar = SECTIONS

    tests: tuple[Test, ...]
    frames: tuple[str, ...]
    trial_s: float = 60.0
    resolution: float = 0.01
    learning_s: float = 2.0
    residual_s: float = 2.0
    restabilise_s: float = 5.0
    latency_repeats: int = 20
    burst_repeats: int = 50
    recovery_repeats: int = 1
    reset_repeats: int = 1
    loss_step_percent: float = 10.0
    burst_most_s: float = 2.0
    burst_verify: int = 1
    latency_pps: float = 1000.0
    protocol: str = "UDP over IPv4"
    stream_format: str = ""
    exceptions: Mapping[Test, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SuiteTrial(RfcTrial):
    """A trial, its test and its frames. `load_pps` and `intended_s` are as intended; `label` distinguishes trials of
    one test (`repeat 3`). `excluded` is the reason why a trial does not count."""

    test: Test
    frame: str

    @property
    def subject(self) -> str:
        return self.frame

    @property
    def remark(self) -> str:
        """A DUT that is reset takes its links down; links and tester that stand still then are no fault."""
        if self.test != "reset" and self.trial.disturbed:
            return f"the host disturbed it: {self.trial.disturbed}"
        if self.test != "reset" and self.trial.tester_limited:
            return f"the tester was the limit: it offered {self.judged.offered_pps / len(self.trial.channels):,.0f} fps"
        if missed := self.trial.balance.lost_by_tester:
            return f"the tester's receiver missed {missed:,.0f} frames"
        return ""


@dataclass(frozen=True)
class Spread:
    """Repeated measurements of one quantity, with their sample standard deviation."""

    count: int
    mean: float
    least: float
    most: float
    stdev: float


def spread_of(values: tuple[float, ...]) -> Spread | None:
    if not values:
        return None
    return Spread(len(values), fmean(values), min(values), max(values), stdev(values) if len(values) > 1 else 0.0)


@dataclass(frozen=True)
class FrameRow:
    """A row of one frame size. `irregular` is the reason why the figure is not the DUT's alone."""

    frame: str
    frame_bytes: float
    irregular: str = field(default="", kw_only=True)

    @property
    def subject(self) -> str:
        return self.frame

    @property
    def remark(self) -> str:
        return self.irregular


@dataclass(frozen=True)
class ThroughputRow(FrameRow):
    """§26.1 for one frame size: the highest load without loss. `line_pps` is the theoretical maximum of the links (None
    if the line speed is unknown); `limit` is the cause of `upper_pps`; `irregular` is the reason why the figure is not
    the DUT's alone."""

    also_stored: ClassVar[Mapping[str, str]] = {"line_percent": "line_percent"}

    line_pps: float | None
    throughput_pps: float | None = None
    upper_pps: float | None = None
    limit: StoredLimit = "none"
    trials: int = 0

    @property
    def line_percent(self) -> float | None:
        if self.line_pps is None or self.throughput_pps is None:
            return None
        return self.throughput_pps / self.line_pps * 100

    @property
    def is_at_least(self) -> bool:
        """True if tester or host ended the search, so that the DUT may forward more."""
        return self.limit in ("tester", "host")

    @property
    def is_line(self) -> bool:
        """True if line rate was forwarded, as far as the search shows."""
        return self.limit == "line"


@dataclass(frozen=True)
class LatencyRow(FrameRow):
    """§26.2 for one frame size and direction, at the load of its throughput. `repeats_us` are the mean latencies of the
    tagged frames of each repeat; `least_us` and `most_us` the extremes of all frames; `tagged_bytes` is their size.
    `baseline_us` is the latency of the port type alone, if the tester calibrated it."""

    also_stored: ClassVar[Mapping[str, str]] = {"over_repeats_us": "spread_us"}

    direction: str
    load_pps: float
    line_pps: float | None
    repeats_us: tuple[float, ...] = ()
    least_us: float | None = None
    most_us: float | None = None
    tagged: int = 0
    tagged_lost: int = 0
    tagged_bytes: float = 0.0
    baseline_us: Annotated[float | None, Stored(former="floor_us")] = None

    @property
    def spread_us(self) -> Spread | None:
        return spread_of(self.repeats_us)


@dataclass(frozen=True)
class FrameLossRow(FrameRow):
    """§26.3 for one frame size, from the highest load down. `lossless_twice` is false if the lowest load was reached
    without two consecutive trials that lost nothing."""

    line_pps: float
    points: tuple[LossPoint, ...] = ()
    lossless_twice: bool = False


@dataclass(frozen=True)
class BackToBackRow(FrameRow):
    """RFC 9004 for one frame size. `lengths` are the longest bursts without loss, in frames, one per repeat; `longest`
    is the longest burst tried; `sent_pps` is the rate at which the bursts were sent. `skipped` is the reason why the
    test was not run."""

    also_stored: ClassVar[Mapping[str, str]] = {
        "over_repeats": "spread",
        "implied_s": "implied_s",
        "corrected_s": "corrected_s",
    }

    line_pps: float | None
    throughput_pps: float | None
    lengths: tuple[float, ...] = ()
    longest: int = 0
    sent_pps: float = 0.0
    trials: int = 0
    skipped: str = ""

    @property
    def remark(self) -> str:
        return self.skipped or self.irregular

    @property
    def spread(self) -> Spread | None:
        return spread_of(self.lengths)

    @property
    def implied_s(self) -> float | None:
        spread = self.spread
        return None if spread is None or not self.line_pps else implied_buffer_s(spread.mean, self.line_pps)

    @property
    def corrected_s(self) -> float | None:
        spread = self.spread
        if spread is None or not self.line_pps or self.throughput_pps is None:
            return None
        return corrected_buffer_s(spread.mean, self.line_pps, self.throughput_pps)


@dataclass(frozen=True)
class RecoveryRow(FrameRow):
    """§26.5 for one frame size: `times_s` are the seconds from the load reduction to the last lost frame, one per
    repeat; `resolution_s` is the precision of the readings. `overload_lost` frames were lost before the reduction."""

    also_stored: ClassVar[Mapping[str, str]] = {"over_repeats_s": "spread_s"}

    throughput_pps: float
    overload_pps: float
    reduced_pps: float
    overload_s: float
    times_s: tuple[float, ...] = ()
    resolution_s: float = 0.0
    overload_lost: float = 0.0

    @property
    def spread_s(self) -> Spread | None:
        return spread_of(self.times_s)


@dataclass(frozen=True)
class ResetRow(FrameRow):
    """RFC 6201: reset of the DUT under load. `kind` is the type of reset and how it was done. `times_s` are the frames
    lost divided by their rate, in the direction that lost most; `lost` are the frames of all directions."""

    also_stored: ClassVar[Mapping[str, str]] = {"over_repeats_s": "spread_s"}

    kind: str
    load_pps: float
    times_s: tuple[float, ...] = ()
    lost: tuple[float, ...] = ()

    @property
    def spread_s(self) -> Spread | None:
        return spread_of(self.times_s)


Row = ThroughputRow | LatencyRow | FrameLossRow | BackToBackRow | RecoveryRow | ResetRow


@dataclass(frozen=True, kw_only=True)
class Rfc2544Settings(Settings):
    """`sizes` are the frame sizes as on a command line."""

    sizes: Annotated[str, SPARSE] = ""
    robust: Annotated[bool | None, SPARSE] = None
    ip6: Annotated[bool | None, SPARSE] = None


@dataclass(frozen=True)
class Rfc2544Result(RfcResult):
    """A whole run. Rows are in the order of their frame sizes; a test that was not run has none. `conformance` has, by
    test, its section and its deviations. `spent_s` is the duration."""

    __repr__ = short_repr

    kind = "rfc2544"
    schema = "wirespeed-rfc2544/2"
    noun = "result of RFC 2544 tests"
    journal_noun = "RFC 2544 tests"

    variables: Annotated[Rfc2544Settings, Stored("vars")]
    method: Method
    throughput: Annotated[tuple[ThroughputRow, ...], SPARSE] = ()
    latency: Annotated[tuple[LatencyRow, ...], SPARSE] = ()
    frame_loss: Annotated[tuple[FrameLossRow, ...], SPARSE] = ()
    back_to_back: Annotated[tuple[BackToBackRow, ...], SPARSE] = ()
    recovery: Annotated[tuple[RecoveryRow, ...], SPARSE] = ()
    reset: Annotated[tuple[ResetRow, ...], SPARSE] = ()
    trials: tuple[SuiteTrial, ...] = ()
    spent_s: float = 0.0

    @property
    def is_bidirectional(self) -> bool:
        return any(wire.reverse in self.directions for wire in self.directions)


def implied_buffer_s(mean_frames: float, line_pps: float) -> float:
    """RFC 9004 section 5: the time that the mean burst takes on the line."""
    return mean_frames / line_pps


def corrected_buffer_s(mean_frames: float, line_pps: float, throughput_pps: float) -> float:
    """RFC 9004 section 5: the implied buffer time without the frames that the DUT forwards while the burst comes in."""
    implied_s = implied_buffer_s(mean_frames, line_pps)
    return implied_s - implied_s * throughput_pps / line_pps


RESULT = Rfc2544Result
