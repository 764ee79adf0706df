"""Results of soaks as rows: plain values for programs, tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Grid, grid
from wirespeed.measurement.soak.result import Drift, Gap, LossEvent, SoakResult, SoakVerdict
from wirespeed.measurement.soak.words import CAUSES, ratio_text, time_text
from wirespeed.results.figures import NOTHING, Scaler, percent_text, rounded


@dataclass(frozen=True)
class SoakRow:
    """The verdict of one soak. The load is packets per second of each direction; ratios are of all directions together,
    their bounds one-sided at `confidence`. Drifts are percent from the first to the last tenth. `needed_s` more seconds
    without loss would show the target."""

    test: str
    profile: str
    directions: str
    load_pps: float
    load_line_percent: float | None
    intended_s: float
    watched_s: float
    offered: int
    lost: int
    loss_ratio: float
    lower_ratio: float
    upper_ratio: float
    target_ratio: float
    confidence: float
    shown: bool
    needed_s: float | None
    events: int
    gaps: int
    lost_by_host: int
    missed_by_tester: int
    longest_outage_s: float
    longest_loss_free_s: float
    worst_minute_at_s: float | None
    worst_minute_ratio: float | None
    latency_drift_percent: float | None
    cycles_drift_percent: float | None
    memory_drift_percent: float | None
    outcome: str


def soak_rows(soaks: Sequence[SoakResult]) -> list[SoakRow]:
    return [soak_row(soak) for soak in soaks]


def soak_row(soak: SoakResult) -> SoakRow:
    verdict, worst = soak.verdict, soak.verdict.worst_minute
    drifts = [drift.percent for drift in verdict.latency_us.values()]
    return SoakRow(
        test=soak.name,
        profile=soak.profile,
        directions=", ".join(map(str, soak.directions)),
        load_pps=round(soak.load_pps, 3),
        load_line_percent=rounded(soak.line_percent),
        intended_s=soak.intended_s,
        watched_s=round(verdict.watched_s, 3),
        offered=verdict.offered,
        lost=verdict.lost,
        loss_ratio=verdict.loss_ratio,
        lower_ratio=verdict.lower_ratio,
        upper_ratio=verdict.upper_ratio,
        target_ratio=verdict.target_ratio,
        confidence=verdict.confidence,
        shown=verdict.shown,
        needed_s=rounded(verdict.needed_s),
        events=verdict.event_count,
        gaps=len(soak.gaps),
        lost_by_host=verdict.by_host,
        missed_by_tester=verdict.by_tester,
        longest_outage_s=round(verdict.longest_outage_s, 6),
        longest_loss_free_s=round(verdict.longest_loss_free_s, 3),
        worst_minute_at_s=worst.at_s if worst else None,
        worst_minute_ratio=worst.loss_ratio if worst else None,
        latency_drift_percent=rounded(max(drifts, key=abs, default=None)),
        cycles_drift_percent=rounded(_percent(verdict.cycles_per_packet)),
        memory_drift_percent=rounded(_percent(verdict.memory_bytes)),
        outcome=soak.ending.status,
    )


MOST_EVENTS = 200
"""The page lists the newest; the file has more."""


def tables_of(soaks: Sequence[SoakResult], scaler: Scaler) -> tuple[Grid, ...]:
    """The verdicts."""
    return grid("Soaks", _headings(scaler), [_cells(row, scaler) for row in soak_rows(soaks)], 3, 1)


def details_of(soak: SoakResult) -> tuple[Grid, ...]:
    """Tables of its drift, its newest loss events, and its gaps."""
    events = [_event_cells(event) for event in soak.events[-MOST_EVENTS:]]
    return (
        *grid(f"Drift of {soak.name}", DRIFT_HEADINGS, _drift_cells(soak.verdict), 1),
        *grid(f"Loss events of {soak.name}", EVENT_HEADINGS, events, 1, 2),
        *grid(f"Gaps of {soak.name}", GAP_HEADINGS, list(map(_gap_cells, soak.gaps)), 1, 1),
    )


def _headings(scaler: Scaler) -> tuple[str, ...]:
    return (
        *("Soak", "Profile", "Directions", f"Load ({scaler.unit} each way)", "% of line", "Watched", "Offered", "Lost"),
        *("Loss ratio", "At most", "Confidence", "Target", "Shown", "Events", "Gaps", "Longest outage (ms)"),
        *("Latency drift (%)", "Outcome"),
    )


def _cells(row: SoakRow, scaler: Scaler) -> tuple[str, ...]:
    return (
        *(row.test, row.profile, row.directions, scaler.text(row.load_pps), percent_text(row.load_line_percent)),
        *(time_text(row.watched_s), f"{row.offered:,}", f"{row.lost:,}", ratio_text(row.loss_ratio)),
        *(ratio_text(row.upper_ratio), f"{row.confidence * 100:g} %", f"{row.target_ratio:g}"),
        *("yes" if row.shown else "no", str(row.events), str(row.gaps), f"{row.longest_outage_s * 1e3:.3g}"),
        *(_signed(row.latency_drift_percent), row.outcome),
    )


EVENT_HEADINGS = ("At", "For", "Direction", "Lost", "Outage (ms)", "Cause", "Why")
GAP_HEADINGS = ("At", "For", "Away", "Offered", "Lost", "Why")


def _event_cells(event: LossEvent) -> tuple[str, ...]:
    drops = ", ".join(f"{reason} {number:,}" for reason, number in event.drops.items())
    why = "; ".join(filter(None, (event.why, drops and f"the DUT dropped {drops}")))
    return (
        *(f"{event.at_s:,.1f} s", f"{event.seconds:g} s", str(event.channel), f"{event.lost:,}"),
        *(f"{event.outage_s * 1e3:.3g}", CAUSES[event.cause], why or NOTHING),
    )


def _gap_cells(gap: Gap) -> tuple[str, ...]:
    counts = (NOTHING if number is None else f"{number:,}" for number in (gap.offered, gap.lost))
    return (f"{gap.at_s:,.1f} s", f"{gap.seconds:,.1f} s", gap.blind, *counts, gap.why or NOTHING)


DRIFT_HEADINGS = ("What", "First tenth", "Last tenth", "Change (%)")


def _drift_cells(verdict: SoakVerdict) -> list[tuple[str, ...]]:
    """Latency of each direction, and what the DUT told of itself."""
    drifts: list[tuple[str, float, Drift | None]] = [
        (f"latency {channel}, average (µs)", 1.0, drift) for channel, drift in verdict.latency_us.items()
    ]
    drifts.append(("DUT: cycles / packet", 1.0, verdict.cycles_per_packet))
    drifts.append(("DUT: memory (MiB)", 2.0**20, verdict.memory_bytes))
    return [
        (what, f"{drift.first / unit:,.1f}", f"{drift.last / unit:,.1f}", _signed(drift.percent))
        for what, unit, drift in drifts
        if drift is not None
    ]


def _percent(drift: Drift | None) -> float | None:
    return None if drift is None else drift.percent


def _signed(percent: float | None) -> str:
    return NOTHING if percent is None else f"{percent:+.1f}"
