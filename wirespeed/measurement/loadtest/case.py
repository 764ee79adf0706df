"""Cases from a load test's result file: all directions together, and each by itself, at the loads that tell most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirespeed.cases.facts import Case, CaseLoad, CaseStep, Worker
from wirespeed.cases.streams import flows_of, hashed_by
from wirespeed.cases.telemetry import (
    case_dut,
    counts,
    cpus_told,
    cycles_of,
    drops_told,
    errors_told,
    events_told,
    longest_preemption_s,
    machine_told,
    step_of,
    tells_drops,
    with_energy,
    workers_told,
)
from wirespeed.measurement.counting import CountingCheck
from wirespeed.measurement.loadtest.analysis import Analysis, MeasuredCurve
from wirespeed.measurement.loadtest.result import Result
from wirespeed.pages.words import count
from wirespeed.results.balance import Medium
from wirespeed.results.channel import SUM
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.load_figures import LEAST_LEFT
from wirespeed.results.machine import is_preemption
from wirespeed.results.point import Point
from wirespeed.results.sample import Sample

_TOP = 0.9
"""Share of the highest step; samples above it belong to that step."""
_MOST_STEPS = 40
_LEAST_STEPS = 6


def cases_of(result: Result, source: str) -> tuple[Case, ...]:
    """The sum's case for a test of several directions, with theirs, else its one direction's; () of a file
    without samples."""
    analysis = result.analysis.settled
    curves = [curve for curve in analysis.curves if _loaded(curve)]
    if not curves:
        return ()
    main = next((curve for curve in curves if curve.channel == SUM), curves[0])
    top = _top(main, analysis.threshold)
    chosen = {point.t_s for point in top}
    samples = [sample for sample in result.samples if sample.t_s in chosen]
    case = _case(analysis, main, top, samples, source)
    if main.channel != SUM:
        return (case,)
    each = [_direction(case, analysis, one, chosen) for one in analysis.directions if _loaded(one)]
    return (replace(case, directions=tuple(each)),)


def _case(
    analysis: Analysis, curve: MeasuredCurve, top: Sequence[Point], samples: Sequence[Sample], source: str
) -> Case:
    result = analysis.result
    place = f"{source}: {len(samples)} sample{'s' if len(samples) > 1 else ''} of the highest load"
    asked = [one for sample in samples if (one := _telemetry(sample)) is not None]
    readings = [one for one in asked if one.error is None]
    span_s = sum(point.interval_s for point in top)
    workers = workers_told(readings, place, sum(point.balance.test_frames for point in top) / span_s)
    whole = analysis.curves[-1].outcome.balance
    counting = analysis.counting
    hidden_share = counting.hidden / whole.offered if counting.hidden else 0.0
    return Case(
        load=replace(_load(analysis, curve, top, samples, workers, place), hidden_share=hidden_share),
        dut=replace(case_dut(result.dut, workers, source), has_nics=_has_nics(result)),
        workers=workers,
        drops=drops_told(readings),
        events=events_told(readings) | _pauses(samples),
        foreign=counts(port.kinds for sample in samples[-1:] for port in sample.ports.values()),
        cpus=cpus_told(readings),
        steps=_steps(curve, result.samples),
        interval_s=sum(sample.interval_s for sample in samples),
        lost_packets=sum(point.balance.lost for point in top) or None,
        in_packets=_counted(one.in_packets for one in readings),
        out_packets=_counted(one.out_packets for one in readings),
        tells_drops=tells_drops(readings),
        remarks=(*errors_told([one.error for one in asked], "samples"), *_unlinked(curve, top), *_counted_by(counting)),
        machine=with_energy(machine_told(readings, result.dut, place), readings, result.lab.idle_watts, place),
    )


def _direction(case: Case, analysis: Analysis, curve: MeasuredCurve, chosen: set[float]) -> Case:
    """The test, for one direction. Telemetry of the device is that of all directions."""
    top = [point for point in _loaded(curve) if point.t_s in chosen]
    if not top:
        top = _top(curve, analysis.threshold)
    load = replace(
        _load(analysis, curve, top, (), (), case.load.source),
        name=curve.channel,
        longest_preemption_s=case.load.longest_preemption_s,
        by_direction=(),
    )
    lost = sum(point.balance.lost for point in top)
    return replace(
        case,
        load=load,
        steps=_steps(curve, ()),
        lost_packets=lost or None,
        in_packets=None,
        out_packets=None,
        remarks=(),
    )


def _telemetry(sample: Sample) -> DutTelemetry | None:
    """None of a device that tells nothing."""
    found = DutTelemetry.readable(sample.dut)
    return found if found != DutTelemetry() else None


def _counted_by(counting: CountingCheck) -> tuple[str, ...]:
    """Said where it bears on the loss: numbered packets, or a loss that is hidden."""
    return (f"counting: {counting.sentence}",) if counting.numbered or counting.hidden else ()


def _unlinked(curve: MeasuredCurve, top: Sequence[Point]) -> tuple[str, ...]:
    """Remark that samples without a link are left out."""
    points = [point for point in _loaded(curve) if point.disturbed is not None and not is_preemption(point.disturbed)]
    left = [point for point in points if point not in top]
    if not left:
        return ()
    return (f"ports of the tester had no link in {count(len(left), 'sample')}, which the figures leave out",)


def _counted(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = [count for count in found if count is not None]
    return sum(known) if known and len(known) == len(found) else None


def _has_nics(result: Result) -> bool:
    """Not where tester and device share memory."""
    return any(result.medium(channel.tx) is not Medium.RING for channel in result.channels)


def _loaded(curve: MeasuredCurve) -> tuple[Point, ...]:
    """The measured points; those of the warm-up if the test ended before."""
    points = [point for point in curve.points if point.balance.offered > 0 and point.interval_s > 0]
    return tuple(point for point in points if point.measured) or tuple(points)


def _top(curve: MeasuredCurve, threshold: float) -> list[Point]:
    """The hold; of steps the highest, but for single samples that made up for lost time."""
    loaded = _loaded(curve)
    held = [point for point in loaded if point.phase == "hold"]
    if held:
        # The full load of the verdict, where enough of it is undisturbed.
        clean = [point for point in held if not (point.disturbed and point.loss_ratio > threshold)]
        return clean if len(clean) >= LEAST_LEFT * len(held) else held
    loads = sorted(point.offered_pps for point in loaded)
    highest = loads[int(0.9 * (len(loads) - 1))]
    return [point for point in loaded if point.offered_pps >= _TOP * highest]


def _load(
    analysis: Analysis,
    curve: MeasuredCurve,
    top: Sequence[Point],
    samples: Sequence[Sample],
    workers: Sequence[Worker],
    place: str,
) -> CaseLoad:
    result = analysis.result
    span_s = sum(point.interval_s for point in top)
    offered = sum(point.balance.offered for point in top) / span_s
    returned = sum(
        min(point.balance.offered, point.balance.test_frames + point.balance.lost_by_tester) for point in top
    )
    lossy = [point for point in top if point.loss_ratio > analysis.threshold]
    directions = [one for one in analysis.directions if one.measured]
    return CaseLoad(
        name=result.name,
        received_pps=returned / span_s,
        source=place,
        offered_pps=offered,
        frame_bytes=analysis.frame_bytes,
        line_bps=next((point.line_bps / point.lines for point in top if point.line_bps), None),
        directions=curve.lines,
        flows=flows_of(result.variables),
        hashed=hashed_by(result.variables),
        tester_limited=curve.tester_limited,
        disturbed_share=sum(is_preemption(point.disturbed) for point in lossy) / len(lossy) if lossy else 0.0,
        unlinked_share=_unlinked_share(top),
        refused_share=_refused_share(top),
        extraneous_share=_extraneous_share(curve),
        longest_preemption_s=longest_preemption_s(one.preemption for one in samples),
        paused=any(point.balance.paused for point in top),
        by_direction=tuple(_mean_received(one, top) for one in directions) if len(directions) > 1 else (),
        cycles=cycles_of(workers),
    ).within_line


def _refused_share(top: Sequence[Point]) -> float:
    """Share of the lost packets that the medium refused because of the device."""
    refused = sum(point.balance.refused for point in top if point.balance.refusing_is_duts)
    lost = sum(point.balance.lost for point in top)
    return min(1.0, refused / lost) if lost else 0.0


def _unlinked_share(top: Sequence[Point]) -> float:
    """Share of the lost packets in samples in which a port had no link."""
    lost = sum(point.balance.lost for point in top)
    unlinked = sum(
        point.balance.lost for point in top if point.disturbed is not None and not is_preemption(point.disturbed)
    )
    return unlinked / lost if lost else 0.0


def _extraneous_share(curve: MeasuredCurve) -> float:
    """Surplus of the whole test without duplicates: a sample may receive packets of the one before it."""
    balance = curve.outcome.balance
    extraneous = balance.extraneous - (balance.order.duplicates if balance.order else 0)
    return extraneous / balance.offered if balance.offered else 0.0


def _mean_received(curve: MeasuredCurve, top: Sequence[Point]) -> float:
    times = {point.t_s for point in top}
    chosen = [point for point in curve.measured if point.t_s in times]
    span_s = sum(point.interval_s for point in chosen)
    return sum(point.received_pps * point.interval_s for point in chosen) / span_s if span_s else 0.0


def _pauses(samples: Sequence[Sample]) -> dict[str, int]:
    frames = [port.rx_pause_frames or 0 for sample in samples[-1:] for port in sample.ports.values()]
    return {"pause frames": sum(frames)} if sum(frames) else {}


def _steps(curve: MeasuredCurve, samples: Sequence[Sample]) -> tuple[CaseStep, ...]:
    """The ramp thinned to about 40 loads, rising, with its least ones, at which a knee far below the line shows; what a
    packet cost by `samples`, of which none may be."""
    sample_at = {sample.t_s: sample for sample in samples}
    points = sorted(curve.measured, key=lambda point: point.offered_pps)
    every = max(1, len(points) // _MOST_STEPS)
    steps = []
    for point in (*points[:_LEAST_STEPS], *points[_LEAST_STEPS::every]):
        telemetry = _telemetry(sample_at[point.t_s]) if point.t_s in sample_at else None
        told = [telemetry] if telemetry is not None and telemetry.error is None else []
        steps.append(step_of(point.offered_pps, point.returned_pps, told))
    return tuple(steps)
