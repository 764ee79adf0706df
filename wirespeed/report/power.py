"""The articles' table of power: watts at each load and what a packet costs of them."""

from __future__ import annotations

from dataclasses import dataclass

from wirespeed.report.comparison import ReportedResults
from wirespeed.results.figures import NOTHING, Scaler, fixed_text, rounded
from wirespeed.results.power import Power, power_of
from wirespeed.tables import Columns, Grid, grid


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


def power_grid(comparison: ReportedResults, scaler: Scaler) -> Grid:
    columns: Columns[PowerRow] = {
        "Test": lambda row: row.test,
        "Load": lambda row: row.load,
        f"Offered ({scaler.unit})": lambda row: scaler.text(row.offered_pps),
        f"Forwarded ({scaler.unit})": lambda row: scaler.text(row.received_pps),
        "Watts": lambda row: fixed_text(row.watts),
        "µJ per packet": lambda row: fixed_text(row.packet_uj, 3),
        "µJ without idle": lambda row: fixed_text(row.marginal_uj, 3),
        "Samples": _samples,
        "Meter": lambda row: row.meter,
    }
    return grid("Power", columns, power_rows(comparison), texts=2, remarks=1)


def _samples(row: PowerRow) -> str:
    if row.load == "idle":
        return NOTHING
    return f"{row.readings} ({row.gaps} without a reading)" if row.gaps else str(row.readings)
