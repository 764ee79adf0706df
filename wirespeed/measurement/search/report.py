"""Searches in reports: a card each, the goals, MRR and latency as tables, and a chart each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from wirespeed.charts.chart import Band
from wirespeed.charts.page_parts import Block, Cards, Fold, Heading, PageSection, Paragraph, ResultBlocks, VerdictCard
from wirespeed.measurement.load import ResultLoad, load_of
from wirespeed.measurement.reported import (
    IRREGULAR,
    TOGETHER,
    Both,
    MatrixEntry,
    Remark,
    ReportedKind,
    Shown,
    remark_on,
)
from wirespeed.measurement.search.charts import bounds_on_ramp, search_chart
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.rows import (
    GoalRow,
    MrrRow,
    SearchLatencyRow,
    directions_of,
    goal_name,
    goal_row,
    goal_rows,
    latency_rows,
    mrr_rows,
    tables_of,
)
from wirespeed.measurement.search.verdict import goal_limit
from wirespeed.pages.duts import dut_name, edition
from wirespeed.pages.trust import trust_of
from wirespeed.pages.words import count
from wirespeed.results.figures import Scaler
from wirespeed.results.search_trial import BoundLimit
from wirespeed.results.verdict import Verdict
from wirespeed.tables import Grid

MOST_CARDS = 8
MOST_OPEN = 4
"""Charts of more searches than this are drawn when their fold is opened."""
_ENDED = "the search ended before it reached the goal"
_WHY: dict[BoundLimit, str] = {
    "host": "the host disturbed the trials",
    "tester": "the tester could not offer more",
    "minimum": "the lowest load lost too much",
}
"""Why goals are irregular, by their limit; others were left unfinished."""
CAPTIONS = {
    "Goals": "The DUT carries the first load of each direction and not the second. Loss is that of all directions "
    "together, as a share of the intended load. Conditional throughput is the lower bound less the loss of its trials. "
    "“Limited by” is the cause of the upper bound. An irregular result does not meet the definition of its goal.",
    "Maximum receive rate": "Received rate at the highest load, over trials of equal length.",
}
POINTS = (
    "A point is a trial: received load and loss over the intended load. Shaded areas are the bounds of each goal. "
    "Triangles: the tester was the limit. Crosses: inconclusive, because the host preempted CPUs. Open circles: set "
    "aside. Trials without loss are drawn at the bottom of the loss axis."
)


class SearchReport(ReportedKind[SearchResult]):
    """Searches; their bounds also appear on load tests of the same load."""

    noun, title, sized = "search", "searches", "trials"
    bounds_loads = in_matrix = True
    row_kinds: ClassVar = {
        "goal": (GoalRow, "a goal of a search"),
        "mrr": (MrrRow, "the MRR of a search"),
        "latency": (SearchLatencyRow, "a direction at a share of the load found"),
    }

    def size(self, result: SearchResult) -> int:
        return len(result.trials)

    def found_by(self, result: SearchResult) -> str:
        return f"search {load_of(result).name} {load_of(result).title}"

    def chart(self, number: int) -> str:
        return f"search-{number}"

    def rows(self, results: Sequence[SearchResult], shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"goal": goal_rows(results, shown.verdicts), "mrr": mrr_rows(results), "latency": latency_rows(results)}

    def tables(self, results: Sequence[SearchResult], shown: Shown) -> Sequence[Grid]:
        return tables_of(results, shown.verdicts, shown.scaler)

    def sections(self, results: Sequence[SearchResult], shown: Shown) -> Iterator[PageSection]:
        blocks: list[Block] = []
        for found in self.tables(results, shown):
            table = replace(found, label="Goals") if found.label == "Searches" else found
            blocks += [Heading(table.label), table]
            blocks += [Paragraph(CAPTIONS[table.label])] if table.label in CAPTIONS else []
        for number, search in enumerate(results):
            title = f"Trials of {search.name}"
            chart = shown.drawn.place(search_chart(self.chart(number), search, shown.scaler))
            if len(results) > MOST_OPEN:
                blocks.append(Fold(title, (chart,), of=search.name))
            else:
                blocks.append(ResultBlocks(search.name, (Heading(title), chart)))
        yield PageSection("Searches", (*blocks, Paragraph(POINTS)), identity="searches")

    def cards(self, results: Sequence[SearchResult], shown: Shown) -> Cards | None:
        more = len(results) - MOST_CARDS
        return Cards(
            "What searches found",
            tuple(_card(search, shown.verdicts[search.name], shown.scaler) for search in results[:MOST_CARDS]),
            f"{more} more in the table of goals." if more > 0 else "",
        )

    def irregular(self, results: Sequence[SearchResult]) -> Iterator[Remark]:
        goals = [(search, found) for search in results for found in search.goals]
        irregular = (
            (f"{one.name} {found.goal.name.upper()}", found.irregular) for one, found in goals if found.irregular
        )
        why = dict.fromkeys(_WHY.get(found.limit, _ENDED) for _, found in goals if found.irregular)
        sentence = f" irregular: {' or '.join(why)}."
        return remark_on("irregular", irregular, len(goals), "goal", sentence)

    def remarks(self, results: Sequence[SearchResult]) -> Iterator[Remark]:
        found = [(one, sum(bool(trial.excluded) for trial in one.trials)) for one in results]
        return remark_on(
            "set-aside",
            ((one.name, f"{aside} of {count(len(one.trials), 'trial')}") for one, aside in found if aside),
            len(results),
            "search",
            " with trials that were repeated, because preemption of workers explains their loss; those do not count.",
        )

    def entries(self, result: SearchResult, _load: ResultLoad, verdict: Verdict, both: Both) -> Iterator[MatrixEntry]:
        first = str(result.directions[0])
        together = TOGETHER if both != "each" else f"{TOGETHER} each way"
        for outcome, figure in zip(result.goals, verdict.figures, strict=False):
            yield MatrixEntry(
                direction=first if len(result.directions) == 1 else together,
                figure=figure.of(first) if both == "each" else figure,
                row=goal_row(result, outcome, verdict),
                goal=goal_name(outcome.goal),
                marks=IRREGULAR if figure.mark == "irregular" else "",
                limit=goal_limit(result, outcome, verdict),
            )

    def bands(self, result: SearchResult, colour: str, scaler: Scaler) -> Iterator[Band]:
        return bounds_on_ramp(result, colour, scaler)


def _card(search: SearchResult, verdict: Verdict, scaler: Scaler) -> VerdictCard:
    figure, mrr = verdict.figure, search.mrr
    rate, unit = figure.parts(scaler)
    more = [one.line_in(scaler) for one in verdict.figures[1:]]
    if mrr is not None:
        more.append(f"MRR {scaler.text(mrr.mean_pps)} {scaler.unit}, mean of {count(mrr.count, 'trial')}")
    return VerdictCard(
        dut=dut_name(search),
        load=f"{load_of(search).title}, {directions_of(search)}",
        heading=goal_name(search.goals[0].goal) if search.goals else "Maximum receive rate",
        rate=rate,
        unit=unit,
        share="line rate unknown" if figure.is_measured and figure.line_percent is None else figure.share_text,
        trust=trust_of(figure, scaler=scaler) if search.goals else None,
        more=(*more, verdict.sentence.replace("`", "")),
        edition=edition(search),
    )


REPORT = SearchReport()
