"""What a result says of power: watts at each load, and microjoules a packet with and without the idle watts. Pure.

`lab.power` of a result names the meter and the watts before the load; the watts of each sample, trial or span stand in
what the DUT told of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from wirespeed.results.dut import DutTelemetry
from wirespeed.results.figures import rate_text
from wirespeed.results.file import AnyResult
from wirespeed.results.loadtest import Result
from wirespeed.results.point import points
from wirespeed.results.rfc2544 import Rfc2544Result
from wirespeed.results.sample import Sample
from wirespeed.results.search import SearchResult
from wirespeed.results.soak import SoakResult

EDGE_S = 5.0
"""A plug averages over a second and lags: so much of either end of a load is left out where the load is long enough."""
RAMP_PARTS = 10


@dataclass(frozen=True)
class Draw:
    """One load: packets a second of all directions together, as offered and as they came back, and the watts then, over
    `readings` samples or trials; `gaps` had none."""

    load: str
    offered_pps: float
    received_pps: float
    watts: float | None
    readings: int
    gaps: int = 0

    @property
    def packet_uj(self) -> float | None:
        """Microjoules of each packet that was forwarded, with the watts of the whole machine."""
        return self.watts / self.received_pps * 1e6 if self.watts is not None and self.received_pps > 0 else None

    def marginal_uj(self, idle_w: float | None) -> float | None:
        """The same without what the machine draws anyway."""
        if self.watts is None or idle_w is None or self.received_pps <= 0:
            return None
        return max(0.0, self.watts - idle_w) / self.received_pps * 1e6


@dataclass(frozen=True)
class Power:
    """All of a test. `idle` says how the idle watts were come by."""

    meter: str
    of: str
    idle_w: float | None
    idle: str
    draws: tuple[Draw, ...]

    @property
    def most(self) -> Draw | None:
        """The load at which the most packets came back while the meter told."""
        known = [draw for draw in self.draws if draw.watts is not None]
        return max(known, key=lambda draw: draw.received_pps, default=None)

    @property
    def gaps(self) -> int:
        return sum(draw.gaps for draw in self.draws)


def power_of(result: AnyResult) -> Power | None:
    """None of a test without a meter."""
    said = result.lab.get("power")
    if not isinstance(said, dict):
        return None
    match result:
        case Result():
            draws = tuple(_of_samples(result))
        case SearchResult():
            draws = tuple(_of_trials(result))
        case SoakResult():
            draws = tuple(_of_soak(result))
        case Rfc2544Result():
            draws = ()
    idle = said.get("idle_watts")
    return Power(
        meter=str(said.get("meter", "")),
        of=str(said.get("of", "")),
        idle_w=float(idle) if isinstance(idle, int | float) and not isinstance(idle, bool) else None,
        idle=str(said.get("idle", "")),
        draws=draws,
    )


def _of_samples(result: Result) -> Iterator[Draw]:
    columns = [points(result.samples, one, result.medium(one.tx), result.line_bps(one.tx)) for one in result.channels]
    rows = [
        (sample, sum(point.offered_pps for point in row), sum(point.received_pps for point in row))
        for sample, row in zip(result.samples, zip(*columns, strict=True), strict=True)
        if sample.measured
    ]
    for load, grouped in groupby(rows, key=lambda row: _load_of(result, row[0])):
        found = list(grouped)
        if load == "ramp":
            size = max(1, -(-len(found) // RAMP_PARTS))
            for first in range(0, len(found), size):
                yield _draw(load, found[first : first + size])
        else:
            yield _draw(load, _without_edges(found))


def _load_of(result: Result, sample: Sample) -> str:
    """What samples of one load are called: by the phase or, in a test by steps, by the step that was due then."""
    names = str(result.variables.get("steps") or "").split(",")
    hold_s = result.variables.get("hold_duration")
    if sample.phase != "step" or not isinstance(hold_s, int | float) or hold_s <= 0:
        return sample.phase
    first = next(one for one in result.samples if one.phase == "step")
    into_s = sample.t_s - sample.interval_s / 2 - (first.t_s - first.interval_s)
    return names[min(len(names) - 1, max(0, int(into_s / hold_s)))]


def _without_edges(found: list[tuple[Sample, float, float]]) -> list[tuple[Sample, float, float]]:
    begin_s, end_s = found[0][0].t_s - found[0][0].interval_s, found[-1][0].t_s
    if end_s - begin_s < 3 * EDGE_S:
        return found
    return [row for row in found if row[0].t_s - row[0].interval_s >= begin_s + EDGE_S and row[0].t_s <= end_s - EDGE_S]


def _draw(load: str, found: Sequence[tuple[Sample, float, float]]) -> Draw:
    told = [DutTelemetry.readable(sample.dut).watts for sample, _, _ in found]
    # What was forwarded while the meter was silent is not set against what it said later.
    known = [(watts, *row[1:]) for watts, row in zip(told, found, strict=True) if watts is not None]
    offered, received = (fmean(row[at] for row in known or [(0.0, *row[1:]) for row in found]) for at in (1, 2))
    watts = fmean(row[0] for row in known) if known else None
    return Draw(load, offered, received, watts, len(found), len(found) - len(known))


def _of_trials(result: SearchResult) -> Iterator[Draw]:
    trials = sorted(result.trials, key=lambda one: one.load_pps)
    for _, grouped in groupby(trials, key=lambda one: one.load_pps):
        found = list(grouped)
        known = [one for one in found if one.trial.dut.watts is not None]
        used = known or found
        yield Draw(
            load="trial",
            offered_pps=fmean(one.offered_pps for one in used),
            received_pps=fmean(one.received_pps for one in used),
            watts=fmean(one.trial.dut.watts or 0.0 for one in known) if known else None,
            readings=len(found),
            gaps=len(found) - len(known),
        )


def _of_soak(result: SoakResult) -> Iterator[Draw]:
    total = result.total
    if total is None or total.watched_s <= 0:
        return
    received = sum(flow.received for flow in total.flows.values())
    silent = sum(span.dut.watts is None for span in result.seconds)
    yield Draw(
        load="soak",
        offered_pps=total.offered / total.watched_s,
        received_pps=received / total.watched_s,
        watts=total.dut.watts,
        readings=round(total.watched_s),
        gaps=silent,
    )


def power_line(result: AnyResult) -> str:
    """`power: 12.0 W idle, 19.0 W at 15.1 Mpps: 1.26 µJ a packet, 0.46 without idle (constant:19)`; empty without a
    meter."""
    power = power_of(result)
    if power is None:
        return ""
    idle = "" if power.idle_w is None else f"{power.idle_w:.1f} W idle, "
    most = power.most
    if most is None or most.watts is None:
        return f"power: {idle}the meter told nothing under load ({power.meter})"
    line = f"power: {idle}{most.watts:.1f} W at {rate_text(most.received_pps)}"
    if most.packet_uj is not None:
        line += f": {most.packet_uj:.3g} µJ a packet"
        marginal = most.marginal_uj(power.idle_w)
        line += "" if marginal is None else f", {marginal:.3g} without idle"
    gaps = f"; {power.gaps} samples without a reading" if power.gaps else ""
    return f"{line} ({power.meter}, {power.of}){gaps}"
