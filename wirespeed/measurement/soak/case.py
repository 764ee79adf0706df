"""The case of a soak for `explain`: a constant load, its losses with their cause, and drift."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

from wirespeed.cases.facts import Case, CaseLoad, FigureDrift
from wirespeed.cases.machine_facts import Energy, MachineFacts
from wirespeed.cases.streams import flows_of, hashed_by
from wirespeed.cases.telemetry import case_dut
from wirespeed.measurement.soak.result import Drift as Told
from wirespeed.measurement.soak.result import SoakResult, Span
from wirespeed.pages.words import count
from wirespeed.results.balance import Medium

_LEAST_S = 30.0
"""A tenth of less says nothing of how a figure changes."""


def cases_of(soak: SoakResult, source: str) -> tuple[Case, ...]:
    """() of a soak of which nothing was seen."""
    total = soak.total
    if total is None or total.watched_s <= 0 or not total.offered:
        return ()
    place = f"{source}: {total.watched_s:,.0f} s"
    verdict = soak.verdict
    drops = Counter(total.dut.drops)
    machine = MachineFacts(source=place)
    if total.dut.watts is not None:
        machine = replace(machine, energy=Energy(total.dut.watts, soak.lab.idle_watts, place))
    rings = any(port.medium is Medium.RING for port in soak.ports.values())
    case = Case(
        load=CaseLoad(
            name=soak.name,
            received_pps=(total.offered - max(0, total.lost)) / total.watched_s,
            source=place,
            offered_pps=total.offered / total.watched_s,
            frame_bytes=fmean(soak.frame_bytes.values()) if soak.frame_bytes else None,
            line_bps=min((port.speed_bps for port in soak.ports.values() if port.speed_bps), default=None),
            directions=len(soak.directions),
            flows=flows_of(soak.variables),
            hashed=hashed_by(soak.variables),
            tester_limited=any(flow.unoffered > 0.01 * flow.offered for flow in total.flows.values()),
            disturbed_share=min(1.0, verdict.by_host / verdict.lost) if verdict.lost else 0.0,
            by_direction=_by_direction(soak, total),
        ),
        dut=replace(case_dut(soak.dut, (), source), has_nics=not rings),
        drops=dict(drops),
        interval_s=total.watched_s,
        lost_packets=max(0, verdict.lost) or None,
        tells_drops=total.dut.drop_packets is not None,
        remarks=tuple(_remarks(soak)),
        machine=machine,
        drifts=tuple(_drifts(soak, place)),
    )
    return (replace(case, directions=_directions(soak, case, total)),)


def _by_direction(soak: SoakResult, total: Span) -> tuple[float, ...]:
    flows = [total.flows[wire] for wire in soak.directions if wire in total.flows]
    return tuple(flow.received / total.watched_s for flow in flows) if len(flows) > 1 else ()


def _directions(soak: SoakResult, case: Case, total: Span) -> tuple[Case, ...]:
    if len(total.flows) < 2:
        return ()
    cases = []
    for wire in soak.directions:
        if (flow := total.flows.get(wire)) is None:
            continue
        lost = max(0, flow.lost - flow.delayed)
        load = replace(
            case.load,
            name=str(wire),
            received_pps=(flow.offered - lost) / total.watched_s,
            offered_pps=flow.offered / total.watched_s,
            directions=1,
            by_direction=(),
        )
        cases.append(replace(case, load=load, lost_packets=lost or None, remarks=(), drifts=()))
    return tuple(cases)


def _drifts(soak: SoakResult, place: str) -> Iterator[FigureDrift]:
    verdict = soak.verdict
    if verdict.watched_s < _LEAST_S:
        return
    drifts: list[tuple[str, Told | None, float, str]] = [
        ("memory of the DUT's process", verdict.memory_bytes, 1 / (1 << 20), "MiB"),
        ("cycles per packet with polling", verdict.cycles_per_packet, 1.0, ""),
        *((f"mean latency {wire}", drift, 1.0, "µs") for wire, drift in verdict.latency_us.items()),
    ]
    for what, drift, scale, unit in drifts:
        if drift is not None:
            yield FigureDrift(what, drift.first * scale, drift.last * scale, unit, place)


def _remarks(soak: SoakResult) -> Iterator[str]:
    """Times of the losses, in one line; the newest events are kept."""
    verdict = soak.verdict
    if verdict.event_count:
        causes = Counter(event.cause for event in soak.events)
        doers = ", ".join(f"{count} of them the {who}'s" for who, count in causes.most_common())
        yield (
            f"{verdict.event_count} loss events ({doers}), {verdict.longest_loss_free_s:,.0f} s in a row without any; "
            f"the longest outage was {verdict.longest_outage_s * 1e3:.3g} ms"
        )
    if soak.gaps:
        seconds = sum(gap.seconds for gap in soak.gaps)
        yield f"not observed for {seconds:,.0f} s in {count(len(soak.gaps), 'gap')}: losses then are not included"
    if soak.total is not None and soak.total.dut.error:
        yield f"the counters of the DUT are incomplete: {soak.total.dut.error}"
