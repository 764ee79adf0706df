"""A burst test, as `wirespeed burst` runs it."""

from __future__ import annotations

from wirespeed.measurement.burst.live import summary, watcher
from wirespeed.measurement.burst.options import BurstOptions
from wirespeed.measurement.burst.plan import BurstPlan, check_plan
from wirespeed.measurement.burst.result import BurstResult
from wirespeed.measurement.burst.run import load_for, run_burst
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.stand import with_bench
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import parse_rate, parse_ratio


class BurstTest(Measurement[BurstOptions, BurstResult]):
    """Bursts of growing length, then a binary search."""

    summary = staticmethod(summary)
    view = staticmethod(watcher)

    def __init__(self, options: BurstOptions) -> None:
        super().__init__(options)
        self.at = with_bench(options.testbed, given_of(options), default_profile="bench")
        self.plan = BurstPlan(
            profile=self.at.profile,
            tunables=parse_tunables(self.at.tunables),
            load=parse_rate(options.load),
            first=options.first,
            longest_s=options.longest_s,
            resolution=parse_ratio(options.resolution, "--resolution"),
            tries=options.tries,
            rest_s=options.rest_s,
            **plan_head(self.at, options),
        )
        check_plan(self.plan)
        self._load = load_for(self.plan)

    def run(self, plan: BurstPlan, execution: Execution) -> BurstResult:
        return run_burst(plan, execution, self._load)


KIND = BurstTest
