"""Cases from a load test's result file: each direction, and their sum, at the loads that tell most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirespeed.explain.facts import Case, Load, Step, Worker
from wirespeed.explain.sources.settled import settled
from wirespeed.explain.sources.telemetry import box_of, counts, cpus_told, cycles_of, workers_told
from wirespeed.results.analysis import SUM, Analysis, Curve, analyse
from wirespeed.results.balance import Medium
from wirespeed.results.dut import DutTelemetry
from wirespeed.results.loadtest import Result
from wirespeed.results.point import Point
from wirespeed.results.sample import Sample

_TOP = 0.9
"""Of the highest step: samples from there on are of it."""
_MOST_STEPS = 40


def cases_of(result: Result, source: str, others: Sequence[Load] = ()) -> tuple[Case, ...]:
    """The sum's case for a test of several directions, else its one direction's; () of a file without samples."""
    analysis = settled(analyse(result))
    curves = [curve for curve in analysis.curves if _loaded(curve)]
    if not curves:
        return ()
    main = next((curve for curve in curves if curve.channel == SUM), curves[0])
    return (_case(analysis, main, source, others),)


def load_of(result: Result, source: str) -> Load | None:
    """What another test of the same box is compared with."""
    found = cases_of(result, source)
    return found[0].load if found else None


def _case(analysis: Analysis, curve: Curve, source: str, others: Sequence[Load]) -> Case:
    result = analysis.result
    top = _top(curve)
    chosen = {point.t_s for point in top}
    samples = [sample for sample in result.samples if sample.t_s in chosen]
    place = f"{source}: {len(samples)} samples of the highest load"
    told = [one for sample in samples if (one := DutTelemetry.from_json(sample.dut)).error is None]
    workers = workers_told(told, place)
    lost = sum(point.balance.lost for point in top)
    return Case(
        load=_load(analysis, curve, top, samples, workers, place),
        box=replace(box_of(result.dut, workers, source), has_nics=_has_nics(result)),
        others=tuple(others),
        workers=workers,
        drops=counts(one.drops for one in told),
        events=counts(one.events for one in told) | _pauses(samples),
        foreign=counts(port.kinds for sample in samples[-1:] for port in sample.ports.values()),
        cpus=cpus_told(told),
        steps=_steps(curve),
        interval_s=sum(sample.interval_s for sample in samples),
        lost_packets=lost or None,
        in_packets=_counted(one.in_packets for one in told),
        out_packets=_counted(one.out_packets for one in told),
        tells_drops=bool(told),
    )


def _counted(counts: Iterable[int | None]) -> int | None:
    found = list(counts)
    known = [count for count in found if count is not None]
    return sum(known) if known and len(known) == len(found) else None


def _has_nics(result: Result) -> bool:
    """Not where tester and device share memory."""
    return any(result.medium(channel.tx) is not Medium.RING for channel in result.channels)


def _loaded(curve: Curve) -> tuple[Point, ...]:
    """What was measured; of a test that ended before, its warm-up."""
    points = [point for point in curve.points if point.balance.offered > 0 and point.interval_s > 0]
    return tuple(point for point in points if point.measured) or tuple(points)


def _top(curve: Curve) -> list[Point]:
    """The hold; of steps the highest, but for single samples that made up for lost time."""
    found = _loaded(curve)
    held = [point for point in found if point.phase == "hold"]
    if held:
        return held
    loads = sorted(point.offered_pps for point in found)
    highest = loads[int(0.9 * (len(loads) - 1))]
    return [point for point in found if point.offered_pps >= _TOP * highest]


def _load(
    analysis: Analysis,
    curve: Curve,
    top: Sequence[Point],
    samples: Sequence[Sample],
    workers: Sequence[Worker],
    place: str,
) -> Load:
    result = analysis.result
    span_s = sum(point.interval_s for point in top)
    offered = sum(point.balance.offered for point in top) / span_s
    returned = sum(min(point.balance.offered, point.balance.ours + point.balance.lost_by_tester) for point in top)
    lossy = [point for point in top if point.loss_ratio > analysis.threshold]
    directions = [one for one in analysis.directions if one.measured]
    tunables = str(result.variables.get("tunables") or "")
    return Load(
        name=result.name,
        received_pps=returned / span_s,
        source=place,
        offered_pps=offered,
        frame_bytes=analysis.frame_bytes,
        line_bps=next((point.line_bps / point.lines for point in top if point.line_bps), None),
        directions=curve.lines,
        flows="many" if "vm=" in tunables and "vm=none" not in tunables else "one",
        hashed="mpls" not in result.profile and "mpls" not in tunables,
        tester_limited=curve.tester_limited,
        spoilt_share=sum(point.spoilt is not None for point in lossy) / len(lossy) if lossy else 0.0,
        refused_share=_refused_share(top),
        surplus_share=_surplus_share(curve),
        longest_away_s=_longest_away_s(samples),
        paused=any(point.balance.paused for point in top),
        by_direction=tuple(_mean_received(one, top) for one in directions) if len(directions) > 1 else (),
        cycles=cycles_of(workers),
    )


def _refused_share(top: Sequence[Point]) -> float:
    """Of what was lost, what the medium did not take, where that is the device's doing."""
    refused = sum(point.balance.refused for point in top if point.balance.refusing_is_duts)
    lost = sum(point.balance.lost for point in top)
    return min(1.0, refused / lost) if lost else 0.0


def _surplus_share(curve: Curve) -> float:
    """Of the whole test: a sample may get what the one before it sent."""
    balance = curve.outcome.balance
    return balance.surplus / balance.offered if balance.offered else 0.0


def _longest_away_s(samples: Sequence[Sample]) -> float | None:
    moments = [sample.machine for sample in samples if sample.machine is not None]
    found = [s for one in moments for s in (one.tester_longest_absent_s, one.dut_longest_absent_s) if s is not None]
    return max(found) if found else None


def _mean_received(curve: Curve, top: Sequence[Point]) -> float:
    times = {point.t_s for point in top}
    chosen = [point for point in curve.measured if point.t_s in times]
    span_s = sum(point.interval_s for point in chosen)
    return sum(point.received_pps * point.interval_s for point in chosen) / span_s if span_s else 0.0


def _pauses(samples: Sequence[Sample]) -> dict[str, int]:
    frames = [port.rx_pause_frames or 0 for sample in samples[-1:] for port in sample.ports.values()]
    return {"pause frames": sum(frames)} if sum(frames) else {}


def _steps(curve: Curve) -> tuple[Step, ...]:
    """The ramp thinned to at most 40 loads, rising."""
    points = sorted(curve.measured, key=lambda point: point.offered_pps)
    every = max(1, len(points) // _MOST_STEPS)
    return tuple(Step(point.offered_pps, point.returned_pps) for point in points[::every])
