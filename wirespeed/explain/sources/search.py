"""The case of a search: the trials that set the upper bound of its strictest goal, or the highest load it tried."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from wirespeed.explain.facts import Case, Load, Step
from wirespeed.explain.sources.telemetry import box_of, counts, cpus_told, cycles_of, workers_told
from wirespeed.results.search import SearchResult, SearchTrial


def cases_of(search: SearchResult, source: str, others: Sequence[Load] = ()) -> tuple[Case, ...]:
    """() of a search without a trial that counts."""
    trials = [trial for trial in search.of("search") if not trial.set_aside]
    if not trials:
        return ()
    chosen = _chosen(search, trials)
    told = [trial.trial.dut for trial in chosen if trial.trial.dut.error is None]
    place = f"{source}: {len(chosen)} trials of the load that set the bound"
    workers = workers_told(told, place)
    span_s = sum(trial.trial.duration_s for trial in chosen)
    return (
        Case(
            load=Load(
                name=search.name,
                received_pps=sum(trial.trial.balance.ours for trial in chosen) / span_s,
                source=place,
                offered_pps=sum(trial.trial.balance.offered for trial in chosen) / span_s,
                frame_bytes=fmean(search.frame_bytes.values()) if search.frame_bytes else None,
                line_bps=_line_bps(search),
                directions=len(search.directions),
                tester_limited=any(trial.trial.tester_limited for trial in chosen),
                spoilt_share=sum(trial.trial.spoilt is not None for trial in chosen) / len(chosen),
                cycles=cycles_of(workers),
            ),
            box=box_of(search.dut, workers, source),
            others=tuple(others),
            workers=workers,
            drops=counts(one.drops for one in told),
            events=counts(one.events for one in told),
            cpus=cpus_told(told),
            steps=tuple(
                Step(trial.offered_pps, trial.received_pps) for trial in sorted(trials, key=lambda one: one.load_pps)
            ),
            interval_s=span_s,
            lost_packets=sum(trial.trial.balance.lost for trial in chosen) or None,
            tells_drops=bool(told),
        ),
    )


def _chosen(search: SearchResult, trials: Sequence[SearchTrial]) -> list[SearchTrial]:
    bounds = [goal.upper_pps for goal in search.goals if goal.upper_pps is not None]
    load = min(bounds) if bounds else max(trial.load_pps for trial in trials)
    return [trial for trial in trials if trial.load_pps == load] or list(trials[-1:])


def _line_bps(search: SearchResult) -> float | None:
    speeds = [port.speed_bps for port in search.ports.values() if port.speed_bps]
    return min(speeds) if speeds else None
