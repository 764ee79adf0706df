"""The curves of tests of stateful devices over the number of flows: throughput, rate of new flows and states in use,
each with and without the DUT's filter; and latency."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirespeed.charts.chart import Chart, Curve, Panel, shortened
from wirespeed.charts.colours import colour
from wirespeed.measurement.stateful.result import WAYS, FoundRow, Row, StatefulResult, StateLatencyRow
from wirespeed.results.figures import Scaler

HEIGHT_PX = 260
KILO = 1000.0
_SENT = {"both": "both send", "initiator": "the initiator sends", "responder": "the responder sends"}


def flows_chart(identity: str, sentence: str, result: StatefulResult, scaler: Scaler) -> Chart | None:
    """Chart of rates by number of flows; None without rates."""
    places = {flows: float(place) for place, flows in enumerate(result.method.flows)}
    throughput: list[Curve] = []
    rates: list[Curve] = []
    for place, addresses in enumerate(result.method.addresses):
        for number, way in enumerate(way for way in WAYS if way in result.method.ways):
            rows = [row for row in result.throughput if (row.way, row.addresses) == (way, addresses)]
            name = _named(_SENT[way], addresses)
            throughput += _curves(name, colour(number + 5 * place), rows, places, scaler.divisor)
        opened = [row for row in result.rate if row.addresses == addresses]
        rates += _curves(_named("new flows", addresses), colour(3 + 2 * place), opened, places, KILO)
    panels = [
        Panel(f"throughput ({scaler.unit} each way)", scaler.unit, HEIGHT_PX, tuple(throughput)),
        Panel("new flows, all validated (kflows/s)", "kflows/s", HEIGHT_PX, tuple(rates)),
        Panel("states in use", "states", HEIGHT_PX // 2, tuple(_states(result, places))),
    ]
    drawn = tuple(panel for panel in panels if panel.curves)
    return Chart(identity, sentence, "flows", "", drawn, categories=_names(result)) if drawn else None


def latency_chart(identity: str, sentence: str, result: StatefulResult) -> Chart | None:
    """Chart of the typical latency by number of flows, with bars from the lowest repeat to the worst; None without
    latency."""
    places = {flows: float(place) for place, flows in enumerate(result.method.flows)}
    curves = []
    of_name: dict[tuple[str, bool], list[StateLatencyRow]] = {}
    for row in sorted(result.latency, key=lambda row: row.flows):
        if row.medians_us:
            name = _named(f"{row.direction}, {_SENT[row.way]}", row.addresses)
            of_name.setdefault((name, row.filtered), []).append(row)
    names = list(dict.fromkeys(name for name, _ in of_name))
    for (name, filtered), rows in of_name.items():
        curves.append(
            Curve(
                name=name if filtered else f"{name}, without filter",
                colour=colour(names.index(name)),
                x=tuple(places[row.flows] for row in rows),
                y=shortened(row.typical_us or 0.0 for row in rows),
                key=name,
                dash="solid" if filtered else "dash",
                told=tuple(_latency_text(row) for row in rows),
            )
        )
    if not curves:
        return None
    panel = Panel("typical latency (µs)", "µs", HEIGHT_PX, tuple(curves))
    return Chart(identity, sentence, "flows", "", (panel,), categories=_names(result))


def _named(name: str, addresses: int) -> str:
    return name if addresses == 1 else f"{name}, {addresses:,} addresses"


def _names(result: StatefulResult) -> tuple[str, ...]:
    return tuple(f"{flows:,}" for flows in result.method.flows)


def _curves(
    name: str, of_colour: str, rows: Sequence[FoundRow], places: dict[int, float], divisor: float
) -> list[Curve]:
    """Medians with bars from the 1st to the 99th percentile; the curve without the filter is dashed."""
    curves = []
    for filtered in (True, False):
        some = sorted(
            (row for row in rows if row.filtered == filtered and row.found and not row.left_out),
            key=lambda row: row.flows,
        )
        if not some:
            continue

        def scaled(share: str, some: Sequence[FoundRow] = some) -> tuple[float, ...]:
            return shortened((getattr(row, share) or 0.0) / divisor for row in some)

        curves.append(
            Curve(
                name=name if filtered else f"{name}, without filter",
                colour=of_colour,
                x=tuple(places[row.flows] for row in some),
                y=scaled("median"),
                key=name,
                dash="solid" if filtered else "dash",
                told=tuple(_text(row) for row in some),
                low=scaled("p1"),
                high=scaled("p99"),
                bar="1st to 99th percentile",
            )
        )
    return curves


def _states(result: StatefulResult, places: dict[int, float]) -> Iterator[Curve]:
    every: tuple[Row, ...] = (*result.rate, *result.throughput)
    for place, addresses in enumerate(result.method.addresses):
        rows = {
            row.flows: row.states
            for row in every
            if row.filtered and row.addresses == addresses and row.states is not None
        }
        name = _named("states in use", addresses)
        if rows:
            flows = sorted(rows)
            x, y = tuple(places[one] for one in flows), tuple(float(rows[one]) for one in flows)
            yield Curve(name=name, colour=colour(4 + 2 * place), x=x, y=y, key=name)


def _text(row: FoundRow) -> str:
    least = "at least, the tester or the host was the limit" if row.is_at_least else ""
    return "; ".join(filter(None, (least, row.remark)))


def _latency_text(row: StateLatencyRow) -> str:
    worst = "" if row.worst_us is None else f"99.9th percentile {row.worst_us:.1f} µs"
    return "; ".join(filter(None, (worst, row.remark)))
