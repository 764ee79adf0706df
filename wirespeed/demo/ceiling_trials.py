"""The tester's own ceiling measured: the articles' loads at the full line, each held for a moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from statistics import fmean, median

from wirespeed.client.generator_client import GeneratorClient
from wirespeed.demo.suite import STANDARD_SUITE
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.loadtest.plan import LoadPlan
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import run_loadtest
from wirespeed.results.ending import raise_for
from wirespeed.results.figures import rate_text
from wirespeed.results.point import points
from wirespeed.testbed.ceiling import Ceiling, Ceilings
from wirespeed.trial.directions import pair_directions
from wirespeed.units import Rate

WARMUP_S = 0.3
SAMPLES = 3


def measure(
    client: GeneratorClient,
    ports: Sequence[int],
    duration_s: float,
    tell: Callable[[str], None],
    line_bps: float | None = None,
) -> Ceilings:
    """Hold each load at line rate between `ports` (in pairs), in one and in both directions, for `duration_s`; `tell`
    gets one line per load. Raises as `run_loadtest`, and if nothing of a load was received."""
    ceilings = []
    generator = ""
    for test in STANDARD_SUITE:
        every = pair_directions(ports)
        wires = every[: len(every) // 2] if test.unidirectional else every
        plan = LoadPlan(
            profile=test.profile,
            tunables=test.tunables,
            warmup_s=WARMUP_S,
            step_loads=(Rate(100.0, "percentage"),),
            hold_s=duration_s,
            interval_s=min(1.0, duration_s / SAMPLES),
            directions=wires,
            line_bps=line_bps,
            include_disturbed=True,
        )
        result = run_loadtest(plan, Execution(client))
        raise_for(result.ending)
        generator = result.versions["generator"]
        percent, pps = _reached(result, line_bps)
        one = Ceiling(test.name, test.profile, test.tunables, len(wires), percent, pps)
        tell(f"{one.label:<32} {one.words}, {rate_text(pps)} per direction")
        ceilings.append(one)
    return Ceilings(generator, datetime.now(UTC).isoformat(timespec="seconds"), tuple(ceilings))


def _reached(result: Result, line_bps: float | None) -> tuple[float, float]:
    """Percent of the line and packets per second that came back: the median of the samples, the mean of directions."""
    percents, rates = [], []
    for wire in result.channels:
        found = points(result.samples, wire, result.medium(wire.tx), line_bps or result.line_bps(wire.tx))
        held = [point for point in found if point.phase == "step"]
        percents.append(median(point.line_percent or 0.0 for point in held))
        rates.append(median(point.received_pps for point in held))
    return min(100.0, fmean(percents)), fmean(rates)
