"""What the page shows of searches: a card each, the goals, MRR and latency as tables, and a chart each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from wirespeed.measurement.search.result import SearchResult
from wirespeed.pages.trust import Trust, trust_of
from wirespeed.pages.words import count
from wirespeed.report.duts import dut_name
from wirespeed.report.page_parts import Drawn, Grid, Place, grid
from wirespeed.report.search_charts import search_chart
from wirespeed.report.search_rows import (
    GOAL_TEXTS,
    LATENCY_TEXTS,
    MRR_TEXTS,
    directions_of,
    goal_cells,
    goal_headings,
    latency_cells,
    latency_headings,
    latency_rows,
    mrr_cells,
    mrr_headings,
    mrr_rows,
)
from wirespeed.report.searches import goal_name, load_name
from wirespeed.results.figures import Scaler, measured_text
from wirespeed.results.verdict import Verdict

MOST_CARDS = 8
MOST_OPEN = 4
"""Charts of more searches than this are drawn when their fold is opened."""


@dataclass(frozen=True)
class SearchCard:
    """The verdict on one search: its first goal's figure in large, `more` are the other goals and what limited it."""

    dut: str
    load: str
    heading: str
    rate: str
    unit: str
    share: str
    trust: Trust | None
    more: tuple[str, ...]


@dataclass(frozen=True)
class SearchChart:
    title: str
    chart: Place


@dataclass(frozen=True)
class SearchPart:
    """`cards` are there where no load test has the answers already, as many as there is room for; `uncarded` are the
    others. `folded`: the charts wait to be opened."""

    cards: tuple[SearchCard, ...]
    uncarded: int
    goals: Grid | None
    mrr: Grid | None
    latency: Grid | None
    charts: tuple[SearchChart, ...]
    folded: bool


def search_part(
    searches: Sequence[SearchResult],
    verdicts: Mapping[str, Verdict],
    scaler: Scaler,
    drawn: Drawn,
    *,
    with_cards: bool,
) -> SearchPart | None:
    """None without searches. `verdicts` are by the names of results; the charts are kept in `drawn`."""
    if not searches:
        return None
    charts = [
        SearchChart(search.name, drawn.place(search_chart(f"search-{number}", search, scaler)))
        for number, search in enumerate(searches)
    ]
    found = [(search, one) for search in searches for one in search.goals]
    goals = grid("Goals", goal_headings(scaler), [goal_cells(*pair, scaler) for pair in found], GOAL_TEXTS, 2)
    if goals is not None:
        marked = frozenset(number for number, (_, one) in enumerate(found) if one.irregular)
        goals = replace(goals, irregular=marked)
    rates = [mrr_cells(row, scaler) for row in mrr_rows(searches)]
    times = [latency_cells(row, scaler) for row in latency_rows(searches)]
    return SearchPart(
        cards=tuple(_card(search, verdicts[search.name]) for search in searches[:MOST_CARDS]) if with_cards else (),
        uncarded=max(0, len(searches) - MOST_CARDS),
        goals=goals,
        mrr=grid("Maximum receive rate", mrr_headings(scaler), rates, MRR_TEXTS),
        latency=grid("Latency at shares of the load found", latency_headings(scaler), times, LATENCY_TEXTS),
        charts=tuple(charts),
        folded=len(charts) > MOST_OPEN,
    )


def _card(search: SearchResult, verdict: Verdict) -> SearchCard:
    load, figure = f"{load_name(search)}, {directions_of(search)}", verdict.figure
    more = [one.line for one in verdict.figures[1:]]
    mrr = search.mrr
    if mrr is not None:
        more.append(f"MRR {measured_text(mrr.mean_pps)}, mean of {count(mrr.count, 'trial')}")
    return SearchCard(
        dut=dut_name(search),
        load=load,
        heading=goal_name(search.goals[0].goal) if search.goals else "Maximum receive rate",
        rate=figure.rate_parts[0],
        unit=figure.rate_parts[1],
        share="line rate unknown" if figure.is_measured and figure.line_percent is None else figure.share_text,
        trust=trust_of(figure) if search.goals else None,
        more=(*more, verdict.sentence.replace("`", "")),
    )
