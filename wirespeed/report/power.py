"""The articles' table of power: watts at each load and what a packet costs of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirespeed.charts.page_parts import Grid
from wirespeed.report.comparison import ReportedResults
from wirespeed.results.figures import NOTHING, Scaler, rounded
from wirespeed.results.power import Power, power_of
from wirespeed.tables import aligned


@dataclass(frozen=True)
class PowerRow:
    """One load of one test, and its idle watts before all of them; field names are the columns of the CSV file."""

    test: str
    load: str
    offered_pps: float | None
    received_pps: float | None
    watts: float | None
    packet_uj: float | None
    marginal_uj: float | None
    readings: int
    gaps: int
    meter: str


def power_rows(comparison: ReportedResults) -> list[PowerRow]:
    return [
        row
        for result in comparison.results
        if (power := power_of(result)) is not None
        for row in _rows(result.name, power)
    ]


def _rows(test: str, power: Power) -> list[PowerRow]:
    idle = PowerRow(test, "idle", None, None, rounded(power.idle_w), None, None, 0, 0, power.meter)
    loads = [
        PowerRow(
            test=test,
            load=draw.load,
            offered_pps=rounded(draw.offered_pps),
            received_pps=rounded(draw.received_pps),
            watts=rounded(draw.watts),
            packet_uj=rounded(draw.packet_uj),
            marginal_uj=rounded(draw.marginal_uj(power.idle_w)),
            readings=draw.readings,
            gaps=draw.gaps,
            meter=power.meter,
        )
        for draw in power.draws
    ]
    return [idle, *loads]


def _cells(row: PowerRow, scaler: Scaler) -> tuple[str, ...]:
    def figure(value: float | None) -> str:
        return NOTHING if value is None else f"{value:.3f}"

    gaps = f"{row.readings} ({row.gaps} without a reading)" if row.gaps else str(row.readings)
    return (
        row.test,
        row.load,
        scaler.text(row.offered_pps),
        scaler.text(row.received_pps),
        NOTHING if row.watts is None else f"{row.watts:.1f}",
        figure(row.packet_uj),
        figure(row.marginal_uj),
        NOTHING if row.load == "idle" else gaps,
        row.meter,
    )


def _headings(scaler: Scaler) -> tuple[str, ...]:
    rates = (f"Offered ({scaler.unit})", f"Forwarded ({scaler.unit})")
    return ("Test", "Load", *rates, "Watts", "µJ per packet", "µJ without idle", "Samples", "Meter")


def power_grid(comparison: ReportedResults, scaler: Scaler) -> Grid | None:
    """None where no test had a meter."""
    found = power_rows(comparison)
    cells = tuple(_cells(row, scaler) for row in found)
    return Grid("Power", _headings(scaler), cells, texts=2, remarks=1) if found else None


def power_to_markdown(comparison: ReportedResults, scaler: Scaler) -> str:
    lines: Sequence[Sequence[str]] = [_headings(scaler), *(_cells(row, scaler) for row in power_rows(comparison))]
    return aligned(lines, range(2, 8))
