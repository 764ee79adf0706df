"""The tests of sections 26.1 to 26.4, each of one frame size: trials in, a row of the result out."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.errors import MeasurementError
from wirespeed.measurement.rfc.bench import remarks, said, throughput_goal
from wirespeed.measurement.rfc.loss import LossPoint, frame_loss, loss_point
from wirespeed.measurement.rfc2544.bench import Rfc2544Bench
from wirespeed.measurement.rfc2544.result import (
    BackToBackRow,
    FrameLossRow,
    LatencyRow,
    SuiteTrial,
    ThroughputRow,
)
from wirespeed.results.search_trial import Purpose, SearchTrial
from wirespeed.trial.bursts import Burst, LongestBurst, burst_of, longest_burst
from wirespeed.trial.controller import Controller
from wirespeed.trial.trial import Trial

LEAST_PPS = 9001.0
"""No load below is searched, as T-Rex's own tools have it; a thousandth of a slow line."""


@dataclass(frozen=True)
class FramesSent:
    """Frames of one size as they are sent: their name, mean length with FCS, and what the narrowest line carries."""

    name: str
    mean_bytes: float
    line_pps: float


def throughput(bench: Rfc2544Bench, trial: Trial, sent: FramesSent) -> ThroughputRow:
    """The highest load that is carried whole. A device that returns nothing has none; the row says so."""
    goal = throughput_goal(bench.method.trial_s, bench.method.resolution)

    def measure(load_pps: float, seconds: float, purpose: Purpose) -> SearchTrial:
        first = len(bench.trials)
        label = purpose if purpose != "search" else ""
        bench.measure(trial, "throughput", sent.name, load_pps, seconds, label)
        for one in bench.trials[first:]:
            judged = SearchTrial(one.number, purpose, load_pps, seconds, one.trial, excluded=one.excluded)
            controller.keep(judged)
        return judged

    least = min(LEAST_PPS, sent.line_pps / 1000)
    controller = Controller((goal,), least, sent.line_pps, measure, goal.initial_s)

    def row(ended_early: str = "") -> ThroughputRow:
        (outcome,) = controller.outcomes(most_is_line=True, ended_early=ended_early)
        return ThroughputRow(
            frame=sent.name,
            frame_bytes=sent.mean_bytes,
            line_pps=sent.line_pps,
            throughput_pps=outcome.lower_pps,
            upper_pps=outcome.upper_pps,
            limit=outcome.limit,
            irregular=ended_early or outcome.irregular,
            trials=len(controller.trials),
        )

    try:
        controller.run()
    except MeasurementError as error:
        return row(str(error))
    except BaseException:
        if controller.trials:
            bench.found("throughput", row("the search was ended before it was done"))
        raise
    return row()


def frame_loss_rate(bench: Rfc2544Bench, trial: Trial, sent: FramesSent) -> FrameLossRow:
    """From the whole line down until two trials on end lost nothing."""

    def measure(percent: float) -> LossPoint:
        load_pps = percent / 100 * sent.line_pps
        one = bench.measure(trial, "frame-loss", sent.name, load_pps, bench.method.trial_s, f"{percent:g} %")
        return loss_point(percent, sent.line_pps, one)

    points, twice = frame_loss(measure, bench.method.loss_step_percent)
    told = [point.irregular for point in points if point.irregular]
    why = ["" if twice else "no two consecutive trials lost nothing"]
    why.append(f"in {len(told)} of {len(points)} trials {told[0]}" if told else "")
    return FrameLossRow(sent.name, sent.mean_bytes, sent.line_pps, points, twice, irregular=said(*why))


def latency(bench: Rfc2544Bench, trial: Trial, sent: FramesSent, measured: ThroughputRow) -> tuple[LatencyRow, ...]:
    """A row per direction, of repeats at the throughput, tagged frames included. `trial` has their streams."""
    method, tester, load_pps = bench.method, trial.tester, measured.throughput_pps or 0.0
    beside_pps = max(load_pps - method.latency_pps, load_pps / 2)
    trials = [
        bench.measure(trial, "latency", sent.name, beside_pps, 2 * method.trial_s, f"repeat {number}")
        for number in range(1, method.latency_repeats + 1)
    ]
    rows = []
    for wire in tester.wires:
        found = [one.trial.channels[wire].latency for one in trials]
        known = [one for one in found if one is not None]
        probe = trial.load.ports[wire.tx].latency
        why = "" if len(known) == len(found) else f"no tagged frame came back in {len(found) - len(known)} repeats"
        rows.append(
            LatencyRow(
                frame=sent.name,
                frame_bytes=sent.mean_bytes,
                direction=str(wire),
                load_pps=load_pps,
                line_pps=sent.line_pps,
                repeats_us=tuple(one.average_us for one in known),
                least_us=min((one.min_us for one in known), default=None),
                most_us=max((one.max_us for one in known), default=None),
                tagged=sum(one.packets for one in known),
                tagged_lost=sum(one.lost for one in known),
                tagged_bytes=probe.frame_bytes if probe is not None else 0.0,
                baseline_us=tester.floor(wire).get("median_us"),
                irregular=said(not_the_duts(measured), why or remarks(trials)),
            )
        )
    return tuple(rows)


def back_to_back(bench: Rfc2544Bench, trial: Trial, sent: FramesSent, measured: ThroughputRow) -> BackToBackRow:
    """RFC 9004 of a size whose throughput is below the line; of others the row says that, and nothing is sent."""
    method, most = bench.method, max(1, round(bench.method.burst_most_s * sent.line_pps))
    row = BackToBackRow(sent.name, sent.mean_bytes, sent.line_pps, measured.throughput_pps, longest=most)
    if why := _no_bursts(measured, method.resolution):
        return BackToBackRow(sent.name, sent.mean_bytes, sent.line_pps, measured.throughput_pps, skipped=why)
    trials: list[SuiteTrial] = []
    bursts: list[LongestBurst] = []
    for number in range(1, method.burst_repeats + 1):

        def send(frames: int, number: int = number) -> Burst:
            seconds = frames / sent.line_pps
            one = bench.measure(trial, "back-to-back", sent.name, sent.line_pps, seconds, f"search {number}")
            trials.append(one)
            return burst_of(one.trial)

        bursts.append(longest_burst(send, most, method.resolution, method.burst_verify))
        if bursts[-1].tester_limited:
            break
    limited = bursts[-1].tester_limited
    sent_pps = min(one.offered_pps for one in trials[-1 if limited else 0].trial.channels.values())
    lengths = tuple(one.frames for one in bursts)
    count = sum(one.trials for one in bursts)
    if limited:
        why = f"the tester sends at most {sent_pps:,.0f} of the {sent.line_pps:,.0f} fps of the line: no minimum gap"
    elif any(one.is_longest_tried for one in bursts):
        why = f"bursts of {most:,} frames ({method.burst_most_s:g} s) lost nothing: the DUT holds at least as many"
    else:
        why = remarks([one for one in trials if not one.trial.balance.lost])
    return BackToBackRow(
        row.frame, row.frame_bytes, row.line_pps, row.throughput_pps, lengths, most, sent_pps, count, irregular=why
    )


def _no_bursts(measured: ThroughputRow, resolution: float) -> str:
    """Why bursts of this size say nothing; empty where they do."""
    if measured.throughput_pps is None:
        return "no throughput was found, without which the time cannot be corrected"
    if measured.is_line or (measured.line_percent or 0) >= (1 - resolution) * 100:
        return "its throughput is the line rate, so that no burst fills a buffer (RFC 9004 §5)"
    if measured.limit in ("tester", "maximum"):
        return "the tester was the limit of its throughput: it sends no bursts at the minimum gap"
    return ""


def not_the_duts(measured: ThroughputRow) -> str:
    """A note for a test at the throughput if that throughput is not the DUT's own."""
    return f"its load is not a limit of the DUT, but of the {measured.limit}" if measured.is_at_least else ""
