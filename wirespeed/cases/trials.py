"""The case of trials of one load, whatever they were held for: a search's bound, the throughput of a frame size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean

from wirespeed.cases.facts import Case, CaseLoad, CaseStep
from wirespeed.cases.streams import flows_of, hashed_by
from wirespeed.cases.telemetry import (
    case_dut,
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
from wirespeed.results.balance import Medium
from wirespeed.results.channel import Channel
from wirespeed.results.dut import DutFacts, DutTelemetry
from wirespeed.results.machine import is_preemption
from wirespeed.results.measurement import MeasurementResult
from wirespeed.results.outcome import PortFacts
from wirespeed.results.search_trial import BoundLimit, Goal, SearchTrial
from wirespeed.results.settings import Settings


@dataclass(frozen=True)
class TrialsOfLoad:
    """Common facts of trials: the head of their result. `idle_w` is the power before the load."""

    name: str
    source: str
    variables: Settings
    dut: DutFacts
    ports: Mapping[int, PortFacts]
    directions: tuple[Channel, ...]
    frame_bytes: float | None
    idle_w: float | None = None

    @classmethod
    def of(cls, result: MeasurementResult, source: str) -> TrialsOfLoad:
        """The trials of a whole result; the mean frame is that of all ports."""
        sizes = result.frame_bytes.values()
        return cls(
            name=result.name,
            source=source,
            variables=result.variables,
            dut=result.dut,
            ports=result.ports,
            directions=result.directions,
            frame_bytes=fmean(sizes) if sizes else None,
            idle_w=result.lab.idle_watts,
        )

    @property
    def line_bps(self) -> float | None:
        speeds = [port.speed_bps for port in self.ports.values() if port.speed_bps]
        return min(speeds) if speeds else None

    @property
    def has_nics(self) -> bool:
        """Not where tester and device share memory."""
        return not any(port.medium is Medium.RING for port in self.ports.values())


_REFUSED: Mapping[BoundLimit, str] = {"dut": "dut", "minimum": "dut", "tester": "tester", "host": "host"}
"""Causes for which a load is refused. The others are of loads that passed, or unknown."""


def case_of(
    tried: TrialsOfLoad,
    chosen: Sequence[SearchTrial],
    trials: Sequence[SearchTrial],
    what: str,
    limit: BoundLimit = "none",
) -> Case:
    """`chosen` is explained, the other `trials` are its loads; `what` says which it is. `limit` is the cause that the
    test found for refusing the load of `chosen`."""
    place = f"{tried.source}: {len(chosen)} trial{'s' if len(chosen) > 1 else ''} {what}"
    readings = [trial.trial.dut for trial in chosen if _tells(trial.trial.dut)]
    workers = workers_told(readings, place)
    span_s = sum(trial.trial.duration_s for trial in chosen)
    case = Case(
        load=_load(tried, chosen, span_s, place, _REFUSED.get(limit, "")),
        dut=replace(case_dut(tried.dut, workers, tried.source), has_nics=tried.has_nics),
        workers=workers,
        drops=drops_told(readings),
        events=events_told(readings),
        cpus=cpus_told(readings),
        steps=_steps(trials),
        interval_s=span_s,
        lost_packets=sum(trial.trial.balance.lost for trial in chosen) or None,
        tells_drops=tells_drops(readings),
        remarks=errors_told([one.trial.dut.error or None for one in chosen], "trials"),
        machine=with_energy(machine_told(readings, tried.dut, place), readings, tried.idle_w, place),
    )
    case = replace(case, load=replace(case.load, cycles=cycles_of(workers)))
    return replace(case, directions=_directions(case, chosen, span_s))


def disturbed_load(trials: Sequence[SearchTrial], goal: Goal, above_pps: float | None) -> list[SearchTrial]:
    """The trials, excluded ones too, of the lowest load above the lower bound `above_pps` that failed the goal only
    because of the host: those that show why a search has no upper bound."""
    failed = [one for one in trials if one.is_disturbed_for(goal) and one.load_pps > (above_pps or 0.0)]
    least_pps = min((one.load_pps for one in failed), default=0.0)
    return [one for one in failed if one.load_pps == least_pps]


def _load(tried: TrialsOfLoad, chosen: Sequence[SearchTrial], span_s: float, place: str, bound_by: str) -> CaseLoad:
    wires = tuple(dict.fromkeys(wire for trial in chosen for wire in trial.trial.channels))
    by_direction = tuple(
        sum(trial.trial.channels[wire].balance.test_frames for trial in chosen if wire in trial.trial.channels) / span_s
        for wire in wires
    )
    return CaseLoad(
        name=tried.name,
        received_pps=sum(trial.trial.balance.test_frames for trial in chosen) / span_s,
        source=place,
        offered_pps=sum(trial.trial.balance.offered for trial in chosen) / span_s,
        frame_bytes=tried.frame_bytes,
        line_bps=tried.line_bps,
        directions=max(1, len(wires)),
        flows=flows_of(tried.variables),
        hashed=hashed_by(tried.variables),
        tester_limited=bound_by == "tester" if bound_by else any(trial.trial.tester_limited for trial in chosen),
        bound_by=bound_by,
        disturbed_share=sum(is_preemption(trial.trial.disturbed) for trial in chosen) / len(chosen),
        unlinked_share=sum(bool(trial.trial.links_down) for trial in chosen) / len(chosen),
        longest_preemption_s=longest_preemption_s(one.trial.preemption for one in chosen),
        paused=any(trial.trial.balance.paused for trial in chosen),
        by_direction=by_direction if len(by_direction) > 1 else (),
    ).within_line


def _directions(case: Case, chosen: Sequence[SearchTrial], span_s: float) -> tuple[Case, ...]:
    if case.load.directions < 2:
        return ()
    cases = []
    for wire in dict.fromkeys(wire for trial in chosen for wire in trial.trial.channels):
        balances = [trial.trial.channels[wire].balance for trial in chosen if wire in trial.trial.channels]
        load = replace(
            case.load,
            name=str(wire),
            received_pps=sum(balance.test_frames for balance in balances) / span_s,
            offered_pps=sum(balance.offered for balance in balances) / span_s,
            directions=1,
            by_direction=(),
            cycles=None,
        )
        lost = sum(balance.lost for balance in balances)
        cases.append(replace(case, load=load, steps=(), lost_packets=lost or None, remarks=()))
    return tuple(cases)


def _steps(trials: Sequence[SearchTrial]) -> tuple[CaseStep, ...]:
    """A step a load, rising."""
    steps = []
    for _, grouped in groupby(sorted(trials, key=lambda one: one.load_pps), key=lambda one: one.load_pps):
        same = list(grouped)
        offered, received = (fmean(getattr(one, way) for one in same) for way in ("offered_pps", "received_pps"))
        steps.append(step_of(offered, received, [one.trial.dut for one in same if _tells(one.trial.dut)]))
    return tuple(steps)


def _tells(dut: DutTelemetry) -> bool:
    return dut.error is None and dut != DutTelemetry()
