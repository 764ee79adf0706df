"""Soaks in reports: the verdict as a sentence, loss and latency over time, events, gaps and drift."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from wirespeed.charts.page_parts import Block, Fold, Heading, PageSection, Paragraph, ResultBlocks
from wirespeed.measurement.reported import Remark, ReportedKind, Shown, remark_on
from wirespeed.measurement.soak.charts import soak_chart
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.rows import SoakRow, details_of, soak_row, soak_rows, tables_of
from wirespeed.measurement.soak.words import time_text, verdict_text
from wirespeed.pages.trust import Trust
from wirespeed.pages.words import count
from wirespeed.results.figures import Scaler, percent_text
from wirespeed.tables import Grid, plain

MOST_OPEN = 12
"""Tables of more rows than this are opened by who reads them."""
SHOWN = Trust("●", "shown", "The upper bound of the loss ratio is within the target.")
NOT_SHOWN = Trust("◇", "not shown", "The upper bound of the loss ratio is above the target.")
LOSS = (
    "Loss over time. A mark at the top is a loss event with its cause, grey areas are gaps in observation. Spans "
    "without loss are drawn at the bottom of the axis."
)


class SoakReport(ReportedKind[SoakResult]):
    """Each soak with its chart, and the verdicts in one table."""

    noun, title, sized = "soak", "soaks", "events"
    row_kinds: ClassVar = {"soak": (SoakRow, "the verdict of a soak")}

    def size(self, result: SoakResult) -> int:
        return len(result.events)

    def chart(self, number: int) -> str:
        return f"soak-{number}"

    def rows(self, results: Sequence[SoakResult], _shown: Shown) -> Mapping[str, Sequence[Any]]:
        return {"soak": soak_rows(results)}

    def tables(self, results: Sequence[SoakResult], shown: Shown) -> Sequence[Grid]:
        return tables_of(results, shown.scaler)

    def markdown(self, results: Sequence[SoakResult], shown: Shown) -> Iterator[str]:
        said = "".join(f"\n{plain(soak.name)}: {plain(verdict_text(soak.verdict))}\n" for soak in results)
        yield "".join(super().markdown(results, shown)) + said

    def sections(self, results: Sequence[SoakResult], shown: Shown) -> Iterator[PageSection]:
        parts = [
            ResultBlocks(soak.name, tuple(_blocks(self.chart(number), soak, shown)))
            for number, soak in enumerate(results)
        ]
        title = "Soak" if len(results) == 1 else "Soaks"
        yield PageSection(title, (*parts, Heading("Verdicts"), *self.tables(results, shown)), identity="soaks")

    def remarks(self, results: Sequence[SoakResult]) -> Iterator[Remark]:
        blind = ((soak.name, _gaps_text(soak)) for soak in results if soak.gaps)
        return remark_on("gaps", blind, len(results), "soak", " with gaps in observation.")


def _gaps_text(soak: SoakResult) -> str:
    return f"{count(len(soak.gaps), 'gap')}, {sum(gap.seconds for gap in soak.gaps):,.0f} s in all"


def _blocks(identity: str, soak: SoakResult, shown: Shown) -> Iterator[Block]:
    told, verdict = soak.verdict, verdict_text(soak.verdict)
    yield Heading(soak.name)
    yield Paragraph(verdict, "verdict", SHOWN if told.shown else NOT_SHOWN)
    yield from map(Paragraph, (*shown.verdicts[soak.name].plain_lines[1:], *_facts(soak, shown.scaler)))
    yield shown.drawn.place(soak_chart(identity, soak, f"{soak.name}: {verdict}"))
    yield Paragraph(LOSS)
    for table in details_of(soak):
        yield Fold(table.label, (table,), is_open=len(table.rows) <= MOST_OPEN)


def _facts(soak: SoakResult, scaler: Scaler) -> Iterator[str]:
    """Short sentences below the verdict."""
    verdict, row = soak.verdict, soak_row(soak)
    share = "" if row.load_line_percent is None else f" ({percent_text(row.load_line_percent)} % of line)"
    yield (
        f"{scaler.text(soak.load_pps)} {scaler.unit}{share} of each direction ({row.directions}) for "
        f"{time_text(verdict.watched_s)}; bounds: {verdict.method or 'none'}."
    )
    yield (
        f"{count(verdict.event_count, 'loss event')}, {count(len(soak.gaps), 'gap')} in what was watched; longest "
        f"outage {verdict.longest_outage_s * 1e3:.3g} ms, longest time without loss "
        f"{time_text(verdict.longest_loss_free_s)}."
    )
    if verdict.by_host:
        yield f"{verdict.by_host:,} of them were lost while CPUs were preempted, because of the host."
    if verdict.by_tester:
        yield f"{verdict.by_tester:,} that came back were missed by the tester's own receiver and do not count."
    if verdict.worst_minute is not None:
        worst = verdict.worst_minute
        yield f"Worst minute: {worst.lost:,} lost, a ratio of {worst.loss_ratio:.2g}, at {worst.at_s:,.0f} s."


REPORT = SoakReport()
