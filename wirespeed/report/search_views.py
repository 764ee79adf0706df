"""What the page shows of searches: a card each, the goals, MRR and latency as tables, and a chart each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirespeed.pages.trust import Trust
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
from wirespeed.report.searches import bounds_text, goal_name, load_name, trust
from wirespeed.results.figures import Scaler, rate_text, three_digits
from wirespeed.results.search import SearchResult

MOST_CARDS = 8
MOST_OPEN = 4
"""Charts of more searches than this are drawn when their fold is opened."""


@dataclass(frozen=True)
class SearchCard:
    """The answer of one search: the first goal's lower bound in large, `more` are sentences on the other goals."""

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
    searches: Sequence[SearchResult], scaler: Scaler, drawn: Drawn, *, with_cards: bool
) -> SearchPart | None:
    """None without searches. The charts are kept in `drawn`."""
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
        cards=tuple(_card(search, scaler) for search in searches[:MOST_CARDS]) if with_cards else (),
        uncarded=max(0, len(searches) - MOST_CARDS),
        goals=goals,
        mrr=grid("Maximum receive rate", mrr_headings(scaler), rates, MRR_TEXTS),
        latency=grid("Latency at shares of the load found", latency_headings(scaler), times, LATENCY_TEXTS),
        charts=tuple(charts),
        folded=len(charts) > MOST_OPEN,
    )


def _card(search: SearchResult, scaler: Scaler) -> SearchCard:
    dut = dut_name(search)
    load = f"{load_name(search)}, {directions_of(search)}"
    more = [f"{goal_name(one.goal)}: {bounds_text(one, scaler)}" for one in search.goals[1:]]
    mrr = search.mrr
    if mrr is not None:
        more.append(f"MRR {rate_text(mrr.mean_pps)} of all directions, mean of {count(mrr.count, 'trial')}")
    if not search.goals:
        each = None if mrr is None else mrr.mean_pps / len(search.directions)
        return SearchCard(dut, load, "MRR of each direction", *_rate(search, each, scaler), None, tuple(more))
    first = search.goals[0]
    heading = f"{goal_name(first.goal)}, of each direction" if len(search.directions) > 1 else goal_name(first.goal)
    is_bounded = first.upper_pps is not None and not first.is_at_least
    said = (*([f"less than {scaler.text(first.upper_pps)} {scaler.unit}"] if is_bounded else []), *more)
    return SearchCard(
        dut, load, heading, *_rate(search, first.lower_pps, scaler, is_known=is_bounded), trust(first), said
    )


def _rate(search: SearchResult, pps: float | None, scaler: Scaler, *, is_known: bool = True) -> tuple[str, str, str]:
    """In large, its unit, and its share of the line. `is_known` is whether no rate means that none was carried."""
    if pps is None:
        return "none", "", "no load was carried" if is_known else "not found out"
    percent = search.line_percent(pps)
    share = "line rate unknown" if percent is None else f"{three_digits(percent)} % of line"
    return three_digits(pps / scaler.divisor), scaler.unit, share
