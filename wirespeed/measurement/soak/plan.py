"""The plan of a soak, as a value, and its checks. Pure; nothing runs here."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from wirespeed.errors import UsageError
from wirespeed.measurement.soak.result import SoakResult, SoakSettings
from wirespeed.measurement.soak.words import time_text
from wirespeed.results.search_trial import GoalOutcome
from wirespeed.trial.directions import check_directions, parse_directions
from wirespeed.trial.plan import MeasurementPlan, parse_tunables
from wirespeed.units import Rate, parse_rate

MOST_LATENCY_PPS = 100_000.0


@dataclass(frozen=True)
class SoakPlan(MeasurementPlan):
    """One soak. `load` is of each direction, held until `duration_s` of it were watched. It is to show a loss ratio of
    at most `target_ratio` at `confidence`. A generator that goes away is waited for `patience_s`."""

    load: Rate = field(kw_only=True)
    duration_s: float = field(kw_only=True)
    target_ratio: float = 1e-7
    confidence: float = 0.95
    latency_pps: float | None = 1000.0
    patience_s: float = 60.0
    load_from: str = ""
    server: str = ""
    lab_name: str = ""

    @property
    def title(self) -> str:
        return self.titled(f"{self.load_from or self.load} for {time_text(self.duration_s)}")

    def variables(self, server: str) -> SoakSettings:
        """The `vars` of the result file; all that `plan_of` needs to go on."""
        return SoakSettings(
            **self.settings_head(server),
            load=str(self.load),
            load_from=self.load_from,
            duration=self.duration_s,
            directions=",".join(f"{wire.tx}>{wire.rx}" for wire in self.directions),
            latency=self.latency_pps,
            lab=self.lab_name,
        )


def plan_of(result: SoakResult, duration_s: float | None = None) -> SoakPlan:
    """The plan that goes on with what `result` began; `duration_s` in place of its own. ValueError for a file whose
    settings cannot be read."""
    settings = result.variables
    return SoakPlan(
        profile=result.profile,
        load=result.load,
        duration_s=result.intended_s if duration_s is None else duration_s,
        tunables=parse_tunables(str(settings.tunables or "")),
        target_ratio=result.verdict.target_ratio,
        confidence=result.verdict.confidence,
        latency_pps=settings.latency,
        directions=parse_directions(settings.directions),
        line_bps=settings.line,
        signature=bool(settings.signature),
        name=result.name,
        output_file=settings.output_file or "-",
        load_from=settings.load_from,
        server=settings.server,
        lab_name=settings.lab,
        lab=result.lab,
        dut=result.dut,
        versions=dict(result.versions),
    )


def check_plan(plan: SoakPlan) -> None:
    """UsageError when the plan cannot be run on any line."""
    if not (math.isfinite(plan.duration_s) and plan.duration_s >= 1):
        raise UsageError(f"--duration {plan.duration_s:g} s: give at least 1 s, such as 60, 10m, 8h or 3d")
    if plan.load.unit == "percentage" and plan.load.value > 100:
        raise UsageError(f"--load {plan.load} is above line rate: give at most 100%")
    if not 0 < plan.target_ratio < 1:
        raise UsageError(
            f"--target-loss {plan.target_ratio:g} is not a loss ratio: give more than 0 and less than 1, such as 1e-7"
        )
    if not 0.5 <= plan.confidence < 1:
        raise UsageError(f"--confidence {plan.confidence:g}: give at least 50% and less than 100%, such as 95%")
    if plan.latency_pps is not None and not 0 < plan.latency_pps <= MOST_LATENCY_PPS:
        raise UsageError(f"latency stream of {plan.latency_pps:g} pps: give more than 0, up to 100kpps, or none")
    if not (math.isfinite(plan.patience_s) and plan.patience_s >= 0):
        raise UsageError(
            f"--reconnect-timeout {plan.patience_s:g} is not a duration: give seconds, or 0 to end at once"
        )
    check_directions(plan.directions, plan.signature)


def parse_latency(text: str) -> float | None:
    """`1kpps`; `none` for no latency stream."""
    if text == "none":
        return None
    rate = parse_rate(text)
    if rate.unit != "pps":
        raise UsageError(f"latency stream of {text}: give packets per second, such as 1kpps, or none")
    return rate.value


def share_of(goals: Sequence[GoalOutcome], share: float, goal: str, where: str) -> tuple[Rate, str]:
    """`share` of the lower bound that a search found for `goal` (empty: NDR, or the first goal), and a description.
    UsageError if the search found none."""
    by_name = {outcome.goal.name: outcome for outcome in goals}
    name = goal or ("ndr" if "ndr" in by_name else next(iter(by_name), "ndr"))
    if name not in by_name:
        known = ", ".join(by_name) or "none at all"
        raise UsageError(f"{where} has no goal {name!r}: give --goal with one of its own: {known}")
    lower_pps = by_name[name].lower_pps
    if lower_pps is None:
        raise UsageError(f"{where} found no load for {name.upper()}, so there is no share of it: give --load")
    if not 0 < share <= 2:
        raise UsageError(f"--share {share:g}: give more than 0%, at most 200%, such as 90%")
    return Rate(share * lower_pps, "pps"), f"{share * 100:g} % of {name.upper()} of {where}"
