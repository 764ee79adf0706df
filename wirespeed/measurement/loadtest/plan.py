"""The plan of a load test, as a value, and the schedule that follows from it. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.measurement.loadtest.result import LoadTestSettings
from wirespeed.results.lossy import DEFAULT_THRESHOLD
from wirespeed.trial.directions import check_directions
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.units import Rate, parse_rate

MIN_INTERVAL_S = 0.01
MOST_LATENCY_PPS = 100_000.0
"""Maximum rate of a latency stream, so that it does not become a part of the load."""


@dataclass(frozen=True)
class LoadPlan(MeasurementPlan):
    """One load test, with the defaults of trex-loadtest.

    With `step_loads` each of those is held for `hold_s`, in place of ramp and hold. `latency_rate_pps` adds a latency
    stream per direction. With `ignore_link_down` the test continues if a link goes down. With `include_disturbed`
    disturbed samples count like all others."""

    warmup_rate: Rate = Rate(1000.0, "pps")  # noqa: RUF009 - frozen
    warmup_s: float = 30.0
    ramp_target: Rate = Rate(100.0, "percentage")  # noqa: RUF009 - frozen
    ramp_s: float = 600.0
    hold_s: float = 30.0
    step_loads: tuple[Rate, ...] = ()
    latency_rate_pps: float | None = None
    interval_s: float = 1.0
    threshold: float = DEFAULT_THRESHOLD
    ignore_link_down: bool = False
    include_disturbed: bool = False

    @property
    def most_percent(self) -> float | None:
        """The highest load as a share of the line; None if it has another unit."""
        loads = self.step_loads or (self.ramp_target,)
        return max(load.value for load in loads) if all(load.unit == "percentage" for load in loads) else None

    @property
    def phases(self) -> tuple[tuple[str, float], ...]:
        """Phases and their durations in seconds, in order; each step of a test by steps is a phase of its own."""
        if self.step_loads:
            return (("warm-up", self.warmup_s), *(("step", self.hold_s) for _ in self.step_loads))
        return (("warm-up", self.warmup_s), ("ramp", self.ramp_s), ("hold", self.hold_s))

    @property
    def loads(self) -> tuple[tuple[str, Rate], ...]:
        """The loads that a user gave, by their names."""
        given = [("warm-up rate", self.warmup_rate)]
        given += [("step", load) for load in self.step_loads] or [("ramp target", self.ramp_target)]
        return tuple(given)

    @property
    def total_s(self) -> float:
        return sum(duration_s for _, duration_s in self.phases)

    def variables(self, server: str) -> LoadTestSettings:
        """The `vars` of the result file; those of trex-loadtest always have a value."""
        target = self.step_loads[-1] if self.step_loads else self.ramp_target
        return LoadTestSettings(
            **self.settings_head(server),
            unidirectional=self.unidirectional,
            warmup_mult=str(self.warmup_rate),
            warmup_duration=self.warmup_s,
            rampup_target=target.value if target.unit == "percentage" else str(target),
            rampup_duration=0.0 if self.step_loads else self.ramp_s,
            hold_duration=self.hold_s,
            steps=",".join(map(str, self.step_loads)),
            latency=self.latency_rate_pps or None,
            ignore_link_down=self.ignore_link_down or None,
            include_disturbed=self.include_disturbed or None,
        )


@dataclass(frozen=True)
class LoadTestStep:
    """A stretch of one constant load, closed by a sample. Times count from the start of traffic."""

    phase: str
    start_s: float
    end_s: float
    rate: Rate


def steps(plan: LoadPlan) -> tuple[LoadTestStep, ...]:
    """The whole schedule. A stretch of the ramp carries the load that the line has at its end, so the last one is the
    target."""
    out: list[LoadTestStep] = []
    start_s = 0.0
    held = iter(plan.step_loads)
    for phase, duration_s in plan.phases:
        load = next(held) if phase == "step" else None
        n = max(1, round(duration_s / plan.interval_s)) if duration_s > 0 else 0
        for index in range(n):
            rate = load or _rate_in(plan, phase, (index + 1) / n)
            out.append(
                LoadTestStep(phase, start_s + duration_s * index / n, start_s + duration_s * (index + 1) / n, rate)
            )
        start_s += duration_s
    return tuple(out)


def _rate_in(plan: LoadPlan, phase: str, share: float) -> Rate:
    """The load when `share` of a phase is over."""
    if phase == "warm-up":
        return plan.warmup_rate
    target = plan.ramp_target
    return Rate(target.value * share, target.unit) if phase == "ramp" else target


def check_plan(plan: LoadPlan) -> None:
    """UsageError when the plan cannot be run on any line."""
    for what, value in (("warm-up", plan.warmup_s), ("ramp-up", plan.ramp_s), ("hold", plan.hold_s)):
        if not (math.isfinite(value) and value >= 0):
            raise UsageError(f"{what} duration {value:g} is not a duration: give seconds, 0 or more")
    if plan.step_loads and plan.hold_s <= 0:
        raise UsageError("each step lasts 0 s, so there is nothing to measure: give -hd a duration")
    if plan.ramp_s + plan.hold_s <= 0:
        raise UsageError("ramp-up and hold both last 0 s, so there is nothing to measure: give -rd or -hd a duration")
    if not (math.isfinite(plan.interval_s) and plan.interval_s >= MIN_INTERVAL_S):
        raise UsageError(f"interval {plan.interval_s:g} is too short: give at least {MIN_INTERVAL_S} s per sample")
    if not (math.isfinite(plan.threshold) and 0 <= plan.threshold < 1):
        raise UsageError(f"fail threshold {plan.threshold:g} is not a loss ratio: give 0 to below 1, such as 0.001")
    if plan.latency_rate_pps is not None and not 0 < plan.latency_rate_pps <= MOST_LATENCY_PPS:
        raise UsageError(f"latency stream of {plan.latency_rate_pps:g} pps: give more than 0, up to 100kpps")
    for what, load in plan.loads[1:]:
        if load.unit == "percentage" and load.value > 100:
            raise UsageError(f"{what} {load} is above line rate: give at most 100")
    check_directions(plan.directions, plan.signature)


def parse_target(text: str) -> Rate:
    """A ramp target: `100` is percent of the line, as trex-loadtest has it; any rate with a unit will do too."""
    try:
        percent = float(text)
    except ValueError:
        return parse_rate(text)
    if not (math.isfinite(percent) and percent > 0):
        raise UsageError(
            f"ramp target {text!r} is not a load: give percent of line rate above 0, or a rate such as 5mpps"
        )
    return Rate(percent, "percentage")


def parse_steps(text: str) -> tuple[Rate, ...]:
    """`1kpps,1mpps,50%`: loads to hold one after the other."""
    loads = tuple(parse_rate(word) for word in text.split(",") if word.strip())
    if text.strip() and not loads:
        raise UsageError(f"steps {text!r} name no load: give rates such as 1kpps,1mpps,50%")
    return loads
