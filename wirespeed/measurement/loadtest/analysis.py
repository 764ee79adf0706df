"""Analysis of one load test, for reports: a curve for each direction and for their sum, each with its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from wirespeed.measurement.counting import CountingCheck, counting
from wirespeed.measurement.loadtest.judgement import excludes_disturbed, points_of, verdict
from wirespeed.measurement.loadtest.result import Result
from wirespeed.results.balance import Balance, total
from wirespeed.results.channel import SUM, Channel
from wirespeed.results.ending import COMPLETE
from wirespeed.results.judge import disturbed_times
from wirespeed.results.load_figures import Chosen, forwarded_samples, full_load_samples, mean_load, together
from wirespeed.results.outcome import ChannelOutcome, LoadPoint
from wirespeed.results.point import Point, line_pps_of_utilisation, summed
from wirespeed.results.settled import settled_points
from wirespeed.results.tester import share_of_tester
from wirespeed.units import l1_bits, line_rate_pps


@dataclass(frozen=True)
class MeasuredCurve:
    """A direction, or the sum of all, over a whole test. None means unknown.

    `lines` is the number of directions, `line_pps` the line rate of all of them together. `stray_failures` counts
    samples above the threshold without persistent loss. `tester_ratio` is the share of missing packets that the tester
    caused, in the samples above the threshold. `passed_pps` is the highest load before and below the loss onset with
    a loss within the threshold.
    """

    channel: str
    points: tuple[Point, ...]
    lines: int
    line_pps: float | None
    outcome: ChannelOutcome
    stray_failures: int
    tester_ratio: float
    passed_pps: float | None = None

    @property
    def measured(self) -> tuple[Point, ...]:
        return tuple(point for point in self.points if point.measured)

    @property
    def forwarded(self) -> LoadPoint | None:
        """The highest load that lost at most the threshold."""
        return self.outcome.forwarded

    @property
    def full_load(self) -> LoadPoint | None:
        return self.outcome.full_load

    @property
    def tester_limited(self) -> bool:
        return self.outcome.tester_limited

    def returned_percent(self, load: LoadPoint | None) -> float | None:
        """Received rate in percent of line rate, at the size of the frames received. The DUT may have made them
        longer."""
        sent, returned = self.outcome.frame_bytes, self.outcome.received_frame_bytes
        if load is None or load.received_percent is None or not sent or not returned:
            return None
        return load.received_percent * l1_bits(returned) / l1_bits(sent)


@dataclass(frozen=True)
class Analysis:
    """One test: a curve for each direction and, of several, their sum as the last; judged by `threshold`."""

    result: Result
    threshold: float
    curves: tuple[MeasuredCurve, ...]

    @property
    def directions(self) -> tuple[MeasuredCurve, ...]:
        return tuple(curve for curve in self.curves if curve.channel != SUM)

    @property
    def settled(self) -> Analysis:
        """The test by its end (`wirespeed.results.settled`): no more lost by its samples than was in the end."""
        curves = (replace(one, points=settled_points(one.points, one.outcome.balance)) for one in self.curves)
        return replace(self, curves=tuple(curves))

    @property
    def counting(self) -> CountingCheck:
        """Accuracy of the test's counting."""
        if not self.result.native:
            return CountingCheck()
        return counting(self.curves[-1].outcome.balance, self.threshold, self.result, self.result.dut.dropped_packets)

    @property
    def frame_bytes(self) -> float | None:
        """Mean size on the wire of the frames sent, FCS included; None where the file holds no byte rates."""
        sizes = [point.frame_bytes for curve in self.directions for point in curve.points if point.frame_bytes]
        return median(sizes) if sizes else None


def analyse(
    result: Result,
    threshold: float | None = None,
    *,
    line_bps: float | None = None,
    exclude_disturbed: bool | None = None,
    balances: Mapping[Channel, Balance] | None = None,
) -> Analysis:
    """Judge every direction and their sum by `threshold`, by default that of the test.

    `line_bps` replaces the tester's line rate in percentages. Disturbed samples are excluded as in the test itself,
    unless given otherwise. `balances` of the whole test replace those of its outcome.
    """
    loss_threshold = result.outcome.threshold if threshold is None else threshold

    def balance_of(channel: Channel) -> Balance | None:
        return _final_balance(result, channel) if balances is None else balances.get(channel)

    def curve(name: str, points: tuple[Point, ...], line_pps: float | None, balance: Balance | None) -> MeasuredCurve:
        outcome = verdict(
            result,
            points,
            balance,
            line_bps=points[0].line_bps if points else None,
            threshold=loss_threshold,
            exclude_disturbed=exclude_disturbed,
        )
        if any(_noted_limit(result, channel) for channel in (result.channels if name == SUM else [name])):
            outcome = replace(outcome, tester_limited=True, saturation=None)
        return _curve(name, points, line_pps, outcome, loss_threshold)

    columns, curves = [], []
    for channel in result.channels:
        line = line_bps or result.line_bps(channel.tx)
        balance = balance_of(channel)
        found = points_of(result, channel, line, balance)
        columns.append(found)
        curves.append(curve(str(channel), found, _line_pps(result, channel, found), balance))
    if len(columns) > 1:
        ends = [balance_of(channel) for channel in result.channels]
        known = [balance for balance in ends if balance is not None]
        lines = [one.line_pps for one in curves]
        curves.append(
            curve(
                SUM,
                tuple(summed(row) for row in zip(*columns, strict=True)),
                sum(line for line in lines if line) if all(lines) else None,
                total(known) if len(known) == len(ends) else None,
            )
        )
        if any(one.tester_limited for one in curves):
            curves[-1] = replace(curves[-1], outcome=replace(curves[-1].outcome, tester_limited=True))
        curves = _over_the_same_samples(result, curves, loss_threshold, exclude_disturbed)
    return Analysis(result, loss_threshold, tuple(curves))


def judged(result: Result, balances: Mapping[Channel, Balance] | None = None) -> Result:
    """The result with the judgement of each direction in its outcome.

    `balances` are those of the whole test after the drain; without one the samples of the direction are all there is.
    """
    analysis = analyse(result, balances=balances or {})
    channels = {curve.channel: curve.outcome for curve in analysis.directions}
    return replace(result, outcome=replace(result.outcome, channels=channels))


def _over_the_same_samples(
    result: Result, curves: Sequence[MeasuredCurve], threshold: float, exclude_disturbed: bool | None
) -> list[MeasuredCurve]:
    """The curves with the figures of all directions over the samples that their sum's are over, so that they add up."""
    *directions, whole = curves
    leave_out = excludes_disturbed(result) if exclude_disturbed is None else exclude_disturbed
    ended = [settled_points(one.points, one.outcome.balance) for one in curves]
    disturbed = disturbed_times(ended[-1], threshold, leave_out)
    lossy = whole.outcome.loss_onset
    forwarded = forwarded_samples(ended[-1], threshold, disturbed=disturbed, loss_onset_s=lossy.t_s if lossy else None)
    full = full_load_samples(ended[-1], disturbed=disturbed, complete=result.ending.status == COMPLETE)

    def means(chosen: Chosen | None) -> list[LoadPoint | None]:
        if chosen is None:
            return [None] * len(curves)
        each = [mean_load(points, chosen, one.outcome.balance) for one, points in zip(directions, ended, strict=False)]
        return [*each, together(each)]

    return [
        replace(one, outcome=replace(one.outcome, forwarded=forwarded_load, full_load=full_load))
        for one, forwarded_load, full_load in zip(curves, means(forwarded), means(full), strict=True)
    ]


def _curve(
    name: str, points: tuple[Point, ...], line_pps: float | None, outcome: ChannelOutcome, threshold: float
) -> MeasuredCurve:
    lasts_from_s = outcome.loss_onset.t_s if outcome.loss_onset else float("inf")
    failing = [point for point in points if point.measured and point.loss_ratio > threshold]
    short = [
        point
        for point in points
        if point.measured and point.balance.shortfall > threshold * (point.balance.offered + point.balance.unoffered)
    ]
    onset_pps = outcome.loss_onset.offered_pps if outcome.loss_onset else 0.0
    passed = (
        point.offered_pps
        for point in points
        if point.measured and point.t_s < lasts_from_s and point.loss_ratio <= threshold
    )
    return MeasuredCurve(
        channel=name,
        points=points,
        lines=points[0].lines if points else 1,
        line_pps=line_pps,
        outcome=outcome,
        stray_failures=sum(point.t_s < lasts_from_s and not point.disturbed for point in failing),
        tester_ratio=share_of_tester(short),
        passed_pps=max((pps for pps in passed if 0 < pps < onset_pps), default=None),
    )


def _line_pps(result: Result, channel: Channel, points: Sequence[Point]) -> float | None:
    """Packets per second that fill the line, by the frames that were sent, or as the tester reckoned it."""
    sizes = [point.frame_bytes for point in points if point.frame_bytes]
    if sizes and points[0].line_bps:
        return line_rate_pps(median(sizes), points[0].line_bps)
    return line_pps_of_utilisation(result.samples, channel)


def _final_balance(result: Result, channel: Channel) -> Balance | None:
    """The balance that the test made after its drain."""
    found = result.outcome.channels.get(str(channel))
    return found.balance if found is not None and found.balance.sent > 0 else None


def _noted_limit(result: Result, channel: Channel | str) -> bool:
    """True if the test itself found that its tester was too slow, with a server whose samples cannot show it."""
    found = result.outcome.channels.get(str(channel))
    return found is not None and found.tester_limited and found.balance.intended is None
