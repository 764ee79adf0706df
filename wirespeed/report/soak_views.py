"""What the page shows of soaks: the verdict as a sentence, loss and latency over time, events, gaps and drift."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.words import time_text, verdict_text
from wirespeed.pages.trust import Trust
from wirespeed.pages.words import count
from wirespeed.report.page_parts import Drawn, Grid, Place, grid
from wirespeed.report.soak_charts import soak_chart
from wirespeed.report.soak_rows import (
    DRIFT_HEADINGS,
    EVENT_HEADINGS,
    GAP_HEADINGS,
    SOAK_TEXTS,
    drift_cells,
    event_cells,
    gap_cells,
    soak_cells,
    soak_headings,
    soak_row,
    soak_rows,
)
from wirespeed.results.figures import Scaler, percent_text
from wirespeed.results.verdict import Verdict

MOST_EVENTS = 200
"""The page lists the newest; the file has more."""

SHOWN = Trust("●", "shown", "The upper bound of the loss ratio is within the target.")
NOT_SHOWN = Trust("◇", "not shown", "The upper bound of the loss ratio is above the target.")


@dataclass(frozen=True)
class SoakView:
    """`facts` are short sentences below the verdict."""

    title: str
    trust: Trust
    verdict: str
    facts: tuple[str, ...]
    chart: Place
    drifts: Grid | None
    events: Grid | None
    gaps: Grid | None


@dataclass(frozen=True)
class SoakPart:
    table: Grid | None
    soaks: tuple[SoakView, ...]


def soak_part(
    soaks: Sequence[SoakResult], verdicts: Mapping[str, Verdict], scaler: Scaler, drawn: Drawn
) -> SoakPart | None:
    """None without soaks. `verdicts` are by the names of results; the charts are kept in `drawn`."""
    if not soaks:
        return None
    cells = [soak_cells(row, scaler) for row in soak_rows(soaks)]
    table = grid("Soaks", soak_headings(scaler), cells, SOAK_TEXTS, 1)
    views = (_view(number, soak, verdicts[soak.name], scaler, drawn) for number, soak in enumerate(soaks))
    return SoakPart(table, tuple(views))


def _view(number: int, soak: SoakResult, found: Verdict, scaler: Scaler, drawn: Drawn) -> SoakView:
    told, row = soak.verdict, soak_row(soak)
    verdict = verdict_text(told)
    share = "" if row.load_line_percent is None else f" ({percent_text(row.load_line_percent)} % of line)"
    facts = [
        f"{scaler.text(soak.load_pps)} {scaler.unit}{share} of each direction ({row.directions}) for "
        f"{time_text(told.watched_s)}; bounds: {told.method or 'none'}.",
        f"{count(told.event_count, 'loss event')}, {count(len(soak.gaps), 'gap')} in what was watched; longest outage "
        f"{told.longest_outage_s * 1e3:.3g} ms, longest time without loss {time_text(told.longest_loss_free_s)}.",
    ]
    if told.by_machine:
        facts.append(f"{told.by_machine:,} of the lost ones went while CPUs were away: the machine's doing.")
    if told.by_tester:
        facts.append(f"{told.by_tester:,} that came back were missed by the tester's own receiver and do not count.")
    if told.worst_minute is not None:
        worst = told.worst_minute
        facts.append(f"Worst minute: {worst.lost:,} lost, a ratio of {worst.loss_ratio:.2g}, at {worst.at_s:,.0f} s.")
    events = [event_cells(event) for event in soak.events[-MOST_EVENTS:]]
    title = f"{soak.name}: {verdict}"
    return SoakView(
        title=soak.name,
        trust=SHOWN if told.shown else NOT_SHOWN,
        verdict=verdict,
        facts=(*found.plain_lines[1:], *facts),
        chart=drawn.place(soak_chart(f"soak-{number}", soak, title)),
        drifts=grid(f"Drift of {soak.name}", DRIFT_HEADINGS, drift_cells(told), 1),
        events=grid(f"Loss events of {soak.name}", EVENT_HEADINGS, events, 1, 2),
        gaps=grid(f"Gaps of {soak.name}", GAP_HEADINGS, [gap_cells(gap) for gap in soak.gaps], 1, 1),
    )
