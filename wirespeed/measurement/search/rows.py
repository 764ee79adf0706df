"""Results of searches as rows: plain values for programs, tables for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wirespeed.measurement.load import load_of
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.verdict import goal_figure, goal_limit
from wirespeed.results.figures import Scaler, fixed_text, percent_text, rounded
from wirespeed.results.sample import Latency
from wirespeed.results.search_trial import Goal, GoalOutcome
from wirespeed.results.verdict import LIMITS, Figure, LimitedBy, Verdict
from wirespeed.tables import Columns, Grid, grid, with_rows

PERCENTILES = ("50", "90", "99", "99.9")
IRREGULAR = "✕", "irregular"


@dataclass(frozen=True)
class GoalRow:
    """A goal of one search. Loads are packets per second of each direction, `text` is that load as the verdict writes
    it; the allowed loss is of all directions together. `limit` and `irregular` are as in the result file, `limited_by`
    is the limit as the verdict names it: with `tester` or `machine`, `upper_pps` is not a bound of the DUT. `trials`
    counts the trials of the search, `excluded` those of them that do not count."""

    test: str
    load: str
    directions: str
    goal: str
    allowed_loss_ratio: float
    exceed_ratio: float
    final_s: float
    sum_s: float
    width: float
    text: str
    lower_pps: float | None
    upper_pps: float | None
    conditional_pps: float | None
    lower_line_percent: float | None
    upper_line_percent: float | None
    limit: str
    limited_by: LimitedBy
    irregular: str
    trials: int
    excluded: int
    outcome: str


@dataclass(frozen=True)
class MrrRow:
    """The maximum receive rate of one search: packets per second, all directions together."""

    test: str
    load: str
    directions: str
    offered_pps: float
    trials: int
    mean_pps: float
    stdev_pps: float
    least_pps: float
    most_pps: float
    mean_line_percent: float | None
    outcome: str


@dataclass(frozen=True)
class SearchLatencyRow:
    """Latency of one direction at one load, in microseconds; `baseline_us` is the median of the port type alone."""

    test: str
    load: str
    directions: str
    at: str
    load_pps: float
    packets: int
    lost: int
    min_us: float
    average_us: float
    p50_us: float | None
    p90_us: float | None
    p99_us: float | None
    p999_us: float | None
    max_us: float
    baseline_us: float | None
    outcome: str


def goal_rows(searches: Sequence[SearchResult], verdicts: Mapping[str, Verdict]) -> list[GoalRow]:
    """`verdicts` by the names of results."""
    return [goal_row(search, found, verdicts[search.name]) for search in searches for found in search.goals]


def goal_row(search: SearchResult, outcome: GoalOutcome, verdict: Verdict) -> GoalRow:
    goal, lower, upper = outcome.goal, outcome.lower_pps, outcome.upper_pps
    trials = search.of("search")
    return GoalRow(
        test=search.name,
        load=load_of(search).name,
        directions=directions_of(search),
        goal=goal.name,
        allowed_loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        final_s=goal.final_s,
        sum_s=goal.sum_s,
        width=goal.width,
        text=goal_figure(search, outcome).each_way.text,
        lower_pps=rounded(lower),
        upper_pps=rounded(upper),
        conditional_pps=rounded(outcome.conditional_pps),
        lower_line_percent=rounded(None if lower is None else search.line_percent(lower)),
        upper_line_percent=rounded(None if upper is None else search.line_percent(upper)),
        limit=outcome.limit,
        limited_by=goal_limit(search, outcome, verdict).by,
        irregular=outcome.irregular,
        trials=len(trials),
        excluded=sum(bool(trial.excluded) for trial in trials),
        outcome=search.ending.status,
    )


def mrr_rows(searches: Sequence[SearchResult]) -> list[MrrRow]:
    rows = []
    for search in searches:
        if (mrr := search.mrr) is None:
            continue
        percent = search.line_percent(mrr.mean_pps / len(search.directions))
        rows.append(
            MrrRow(
                test=search.name,
                load=load_of(search).name,
                directions=directions_of(search),
                offered_pps=round(search.most_pps * len(search.directions), 3),
                trials=mrr.count,
                mean_pps=round(mrr.mean_pps, 3),
                stdev_pps=round(mrr.stdev_pps, 3),
                least_pps=round(mrr.least_pps, 3),
                most_pps=round(mrr.most_pps, 3),
                mean_line_percent=rounded(percent),
                outcome=search.ending.status,
            )
        )
    return rows


def latency_rows(searches: Sequence[SearchResult]) -> list[SearchLatencyRow]:
    rows = []
    for search in searches:
        for trial in search.of("latency"):
            for wire, channel in trial.trial.channels.items():
                if channel.latency is not None and channel.latency.packets and not trial.excluded:
                    row = _latency_row(search, str(wire), trial.label, trial.load_pps, channel.latency)
                    rows.append(row)
    return rows


def _latency_row(search: SearchResult, direction: str, at: str, load_pps: float, latency: Latency) -> SearchLatencyRow:
    floor = search.lab.latency_baseline.get(direction)
    median = floor.median_us if floor is not None else None
    p50, p90, p99, p999 = (rounded(latency.percentiles.get(key)) for key in PERCENTILES)
    return SearchLatencyRow(
        test=search.name,
        load=load_of(search).name,
        directions=direction,
        at=at,
        load_pps=round(load_pps, 3),
        packets=latency.packets,
        lost=latency.lost,
        min_us=round(latency.min_us, 3),
        average_us=round(latency.average_us, 3),
        p50_us=p50,
        p90_us=p90,
        p99_us=p99,
        p999_us=p999,
        max_us=round(latency.max_us, 3),
        baseline_us=round(float(median), 3) if isinstance(median, int | float) else None,
        outcome=search.ending.status,
    )


def directions_of(search: SearchResult) -> str:
    """`0→1`, or `0→1, 1→0` of a search in both at once."""
    return ", ".join(map(str, search.directions))


def goal_name(goal: Goal) -> str:
    """`NDR (loss ≤ 0 %)`."""
    return f"{goal.name.upper()} (loss ≤ {goal.loss_ratio * 100:g} %)"


def tables_of(searches: Sequence[SearchResult], verdicts: Mapping[str, Verdict], scaler: Scaler) -> tuple[Grid, ...]:
    """Goals, MRR and latency; irregular goals are marked."""
    goals = [(search, one) for search in searches for one in search.goals]
    irregular = frozenset(number for number, (_, one) in enumerate(goals) if one.irregular)
    titles = {search.name: load_of(search).title for search in searches}
    rows = [
        (goal_row(search, one, verdicts[search.name]), goal_name(one.goal), goal_figure(search, one).each_way)
        for search, one in goals
    ]
    return with_rows(
        grid("Searches", _goal_columns(scaler, titles), rows, texts=4, remarks=2, irregular=irregular),
        grid("Maximum receive rate", _mrr_columns(scaler, titles), mrr_rows(searches), texts=3),
        grid("Latency at shares of the load found", _latency_columns(scaler), latency_rows(searches), texts=3),
    )


def _goal_columns(scaler: Scaler, titles: Mapping[str, str]) -> Columns[tuple[GoalRow, str, Figure]]:
    return {
        "Search": lambda line: line[0].test,
        "Load": lambda line: titles[line[0].test],
        "Directions": lambda line: line[0].directions,
        "Goal": lambda line: line[1],
        f"Carries ({scaler.unit} each way)": lambda line: line[2].scaled(scaler),
        "% of line": lambda line: line[2].share_text,
        f"Conditional throughput ({scaler.unit} each way)": lambda line: scaler.text(line[0].conditional_pps),
        "Trials": lambda line: str(line[0].trials),
        "Limited by": lambda line: LIMITS[line[0].limited_by],
        "Remarks": lambda line: _remark_of(line[0]),
    }


def _remark_of(row: GoalRow) -> str:
    """Qualifications of the figures: irregular results, the end of the search, excluded trials."""
    said = [f"{' '.join(IRREGULAR)}: {row.irregular}"] if row.irregular else []
    said += [row.outcome] if row.outcome != "complete" else []
    said += [f"{row.excluded} of its trials set aside"] if row.excluded else []
    return "; ".join(said)


def _mrr_columns(scaler: Scaler, titles: Mapping[str, str]) -> Columns[MrrRow]:
    together = f"({scaler.unit}, all directions)"
    return {
        "Search": lambda row: row.test,
        "Load": lambda row: titles[row.test],
        "Directions": lambda row: row.directions,
        f"MRR {together}": lambda row: scaler.text(row.mean_pps),
        "% of line": lambda row: percent_text(row.mean_line_percent),
        f"Standard deviation ({scaler.unit})": lambda row: scaler.text(row.stdev_pps),
        "% of mean": lambda row: percent_text(row.stdev_pps / row.mean_pps * 100 if row.mean_pps else None),
        f"Least {together}": lambda row: scaler.text(row.least_pps),
        f"Most {together}": lambda row: scaler.text(row.most_pps),
        "Trials": lambda row: str(row.trials),
    }


def _latency_columns(scaler: Scaler) -> Columns[SearchLatencyRow]:
    return {
        "Search": lambda row: row.test,
        "At": lambda row: row.at,
        "Direction": lambda row: row.directions,
        f"Load ({scaler.unit})": lambda row: scaler.text(row.load_pps),
        "Packets": lambda row: f"{row.packets:,}",
        "Lost": lambda row: f"{row.lost:,}",
        "Min (µs)": lambda row: fixed_text(row.min_us),
        "50 % (µs)": lambda row: fixed_text(row.p50_us),
        "90 % (µs)": lambda row: fixed_text(row.p90_us),
        "99 % (µs)": lambda row: fixed_text(row.p99_us),
        "99.9 % (µs)": lambda row: fixed_text(row.p999_us),
        "Max (µs)": lambda row: fixed_text(row.max_us),
        "Without the DUT (µs)": lambda row: fixed_text(row.baseline_us),
    }
