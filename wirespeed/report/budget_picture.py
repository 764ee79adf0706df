"""The picture of what a device's CPUs did for a packet, over the load: bars as the template draws them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wirespeed.explain.cpu_budget import BudgetBar, BudgetPart, CpuBudget
from wirespeed.explain.words import cycles_text, seconds_text, share_text
from wirespeed.results.figures import NOTHING, rate_text
from wirespeed.tables import Grid

_LABELLED = 0.09
"""Share of the bar; a narrower part has no room for its label on a phone."""
_LABELLED_WIDE = 0.035
_HIDDEN = 0.002


@dataclass(frozen=True)
class PartView:
    """A part of a bar: its start and width in percent of the whole; `kind` selects its colour, `title` is its tooltip.
    A long `label` is shown on wide screens only."""

    kind: str
    left: str
    width: str
    middle: str
    label: str
    is_wide_only: bool
    title: str


@dataclass(frozen=True)
class BarView:
    """`load` stands above it on the left, `budget` on the right."""

    load: str
    budget: str
    parts: tuple[PartView, ...]


@dataclass(frozen=True)
class BudgetView:
    """`legend` are the names of the parts with their kinds, `sentence` what the picture shows, `table` the same in
    figures."""

    of: str
    sentence: str
    legend: tuple[tuple[str, str], ...]
    bars: tuple[BarView, ...]
    table: Grid


def budget_view(budget: CpuBudget, test: str) -> BudgetView:
    top = budget.bars[-1]
    busy = max((part for part in top.parts if part.is_work), key=lambda part: part.share, default=None)
    sentence = f"At {rate_text(top.offered_pps)} {budget.of} had {share_text(top.idle_share)} of the time to spare"
    sentence += "." if busy is None else f"; most of the work was {busy.name}, {share_text(busy.share)}."
    return BudgetView(
        of=budget.of,
        sentence=sentence,
        legend=tuple((_kind(name), name) for name in budget.names),
        bars=tuple(
            BarView(f"{rate_text(bar.offered_pps)} offered", _budget(bar), tuple(_parts(bar))) for bar in budget.bars
        ),
        table=_table(budget, test),
    )


def _kind(name: str) -> str:
    return f"part-{name.replace(' ', '-')}"


def _budget(bar: BudgetBar) -> str:
    """Cycles or time that a packet may take before the CPUs are saturated."""
    return f"{cycles_text(bar.ticks)} cycles each" if bar.ticks is not None else f"{seconds_text(bar.seconds)} each"


def _parts(bar: BudgetBar) -> Iterator[PartView]:
    left = 0.0
    for part in bar.parts:
        if part.share >= _HIDDEN:
            yield PartView(
                kind=_kind(part.name),
                left=f"{100 * left:.2f}",
                width=f"{100 * part.share:.2f}",
                middle=f"{100 * (left + part.share / 2):.2f}",
                label=_figure(part) if part.share >= _LABELLED_WIDE else "",
                is_wide_only=part.share < _LABELLED,
                title=f"{part.name}: {_figure(part)}{' cycles per packet' if part.ticks is not None else ''}, "
                f"{share_text(part.share)}",
            )
        left += part.share


def _figure(part: BudgetPart) -> str:
    return cycles_text(part.ticks) if part.ticks is not None else share_text(part.share)


def _table(budget: CpuBudget, test: str) -> Grid:
    """Cycles per packet where a clock is known, else percent of the time."""
    in_ticks = budget.bars[0].ticks is not None
    rows = []
    for bar in budget.bars:
        told = {part.name: _figure(part) for part in bar.parts}
        rows.append((rate_text(bar.offered_pps), *(told.get(name, NOTHING) for name in budget.names), _budget(bar)))
    unit = "cycles per packet" if in_ticks else "percent of the time"
    return Grid(f"{test}: {unit} by what they went into", ("Offered", *budget.names, "All"), tuple(rows))
