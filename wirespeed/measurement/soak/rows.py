"""Results of soaks as rows: plain values for programs, tables for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import load_of
from wirespeed.measurement.soak.result import Drift, Gap, LossEvent, SoakResult, SoakVerdict
from wirespeed.measurement.soak.words import CAUSES, ratio_text, time_text
from wirespeed.results.figures import NOTHING, Scaler, percent_text, rounded
from wirespeed.tables import Columns, Grid, grid, with_rows


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
    titles = {soak.name: load_of(soak).title for soak in soaks}
    columns: Columns[SoakRow] = {
        "Soak": lambda row: row.test,
        "Load": lambda row: titles[row.test],
        "Directions": lambda row: row.directions,
        f"Rate ({scaler.unit} each way)": lambda row: scaler.text(row.load_pps),
        "% of line": lambda row: percent_text(row.load_line_percent),
        "Watched": lambda row: time_text(row.watched_s),
        "Offered": lambda row: f"{row.offered:,}",
        "Lost": lambda row: f"{row.lost:,}",
        "Loss ratio": lambda row: ratio_text(row.loss_ratio),
        "At most": lambda row: ratio_text(row.upper_ratio),
        "Confidence": lambda row: f"{row.confidence * 100:g} %",
        "Target": lambda row: f"{row.target_ratio:g}",
        "Shown": lambda row: "yes" if row.shown else "no",
        "Events": lambda row: str(row.events),
        "Gaps": lambda row: str(row.gaps),
        "Longest outage (ms)": lambda row: f"{row.longest_outage_s * 1e3:.3g}",
        "Latency drift (%)": lambda row: _signed(row.latency_drift_percent),
        "Outcome": lambda row: row.outcome,
    }
    return with_rows(grid("Soaks", columns, soak_rows(soaks), texts=3, remarks=1))


def details_of(soak: SoakResult) -> tuple[Grid, ...]:
    """Tables of its drift, its newest loss events, and its gaps."""
    return with_rows(
        grid(f"Drift of {soak.name}", _DRIFT, _drifts(soak.verdict)),
        grid(f"Loss events of {soak.name}", _EVENTS, soak.events[-MOST_EVENTS:], remarks=2),
        grid(f"Gaps of {soak.name}", _GAPS, soak.gaps, remarks=1),
    )


def _why(event: LossEvent) -> str:
    drops = ", ".join(f"{reason} {number:,}" for reason, number in event.drops.items())
    return "; ".join(filter(None, (event.why, drops and f"the DUT dropped {drops}"))) or NOTHING


_EVENTS: Columns[LossEvent] = {
    "At": lambda event: f"{event.at_s:,.1f} s",
    "For": lambda event: f"{event.seconds:g} s",
    "Direction": lambda event: str(event.channel),
    "Lost": lambda event: f"{event.lost:,}",
    "Outage (ms)": lambda event: f"{event.outage_s * 1e3:.3g}",
    "Cause": lambda event: CAUSES[event.cause],
    "Why": _why,
}
_GAPS: Columns[Gap] = {
    "At": lambda gap: f"{gap.at_s:,.1f} s",
    "For": lambda gap: f"{gap.seconds:,.1f} s",
    "Away": lambda gap: gap.blind,
    "Offered": lambda gap: NOTHING if gap.offered is None else f"{gap.offered:,}",
    "Lost": lambda gap: NOTHING if gap.lost is None else f"{gap.lost:,}",
    "Why": lambda gap: gap.why or NOTHING,
}
_DRIFT: Columns[tuple[str, float, Drift]] = {
    "What": lambda line: line[0],
    "First tenth": lambda line: f"{line[2].first / line[1]:,.1f}",
    "Last tenth": lambda line: f"{line[2].last / line[1]:,.1f}",
    "Change (%)": lambda line: _signed(line[2].percent),
}


def _drifts(verdict: SoakVerdict) -> Iterator[tuple[str, float, Drift]]:
    """Latency per direction, and the DUT's telemetry: name, unit and drift."""
    yield from ((f"latency {channel}, average (µs)", 1.0, drift) for channel, drift in verdict.latency_us.items())
    if verdict.cycles_per_packet is not None:
        yield "DUT: cycles / packet", 1.0, verdict.cycles_per_packet
    if verdict.memory_bytes is not None:
        yield "DUT: memory (MiB)", 2.0**20, verdict.memory_bytes


def _percent(drift: Drift | None) -> float | None:
    return None if drift is None else drift.percent


def _signed(percent: float | None) -> str:
    return NOTHING if percent is None else f"{percent:+.1f}"
