"""The plan of a burst test, as a value, and its checks. Pure; nothing runs here."""

from __future__ import annotations

import math
from dataclasses import dataclass

from wirespeed.errors import UsageError
from wirespeed.measurement.burst.result import BurstSettings
from wirespeed.trial.directions import check_directions
from wirespeed.trial.plan import MeasurementPlan
from wirespeed.units import Rate


@dataclass(frozen=True)
class BurstPlan(MeasurementPlan):
    """Bursts at `load`: the first has `first` frames, the longest lasts `longest_s`. `resolution` is the relative
    precision of the length. A length is lossy if all `tries` bursts lost frames. `rest_s` is the pause before each
    burst."""

    load: Rate = Rate(100.0, "percentage")  # noqa: RUF009 - frozen
    first: int = 64
    longest_s: float = 2.0
    resolution: float = 0.01
    tries: int = 3
    rest_s: float = 0.5

    @property
    def title(self) -> str:
        return self.titled(f"bursts at {self.load}", "unidirectional" if self.unidirectional else "bidirectional")

    def variables(self, server: str) -> BurstSettings:
        return BurstSettings(
            **self.settings_head(server),
            unidirectional=self.unidirectional,
            load=str(self.load),
            first=self.first,
            longest=self.longest_s,
            resolution=self.resolution,
            tries=self.tries,
            rest=self.rest_s,
        )


def check_plan(plan: BurstPlan) -> None:
    """UsageError for a plan that is invalid whatever the links are."""
    if not (math.isfinite(plan.longest_s) and plan.longest_s > 0):
        raise UsageError(f"--longest {plan.longest_s:g} is not a duration: give seconds above 0")
    if not (math.isfinite(plan.rest_s) and plan.rest_s >= 0):
        raise UsageError(f"--rest {plan.rest_s:g} is not a duration: give seconds, or 0")
    if plan.first < 1 or plan.tries < 1:
        raise UsageError(f"--first {plan.first} and --tries {plan.tries}: give at least 1 of each")
    if not 0 < plan.resolution < 1:
        raise UsageError(f"--resolution {plan.resolution:g}: give a share between 0 and 1, such as 1% or 0.001")
    if plan.load.value <= 0 or (plan.load.unit == "percentage" and plan.load.value > 100):
        raise UsageError(f"--load {plan.load}: give more than 0, and at most 100% of line rate")
    check_directions(plan.directions, plan.signature)
