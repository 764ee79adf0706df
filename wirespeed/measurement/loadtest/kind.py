"""A load test, as `wirespeed loadtest` runs it."""

from __future__ import annotations

from wirespeed.errors import UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.loadtest.live import summary, watcher
from wirespeed.measurement.loadtest.options import LoadtestOptions
from wirespeed.measurement.loadtest.plan import LoadPlan, check_plan, parse_steps, parse_target
from wirespeed.measurement.loadtest.result import Result
from wirespeed.measurement.loadtest.run import load_for, run_loadtest
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.stand import with_bench
from wirespeed.results.journal import Journal
from wirespeed.results.recorder import JournalRecorder
from wirespeed.results.sample_json import sample_to_json
from wirespeed.testbed.ceiling import ceiling_note
from wirespeed.testbed.options import SERVER
from wirespeed.trial.machine import is_local, is_virtual_here
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import parse_rate


class Loadtest(Measurement[LoadtestOptions, Result]):
    """Warm-up, ramp and hold, or steps."""

    summary = staticmethod(summary)
    view = staticmethod(watcher)

    def __init__(self, options: LoadtestOptions) -> None:
        super().__init__(options)
        latency = parse_rate(options.latency) if options.latency else None
        if latency is not None and latency.unit != "pps":
            raise UsageError(f"latency stream of {options.latency}: give packets per second, such as 1kpps")
        self.at = with_bench(options.testbed, given_of(options), default_profile="imix")
        self.plan = LoadPlan(
            profile=self.at.profile,
            tunables=parse_tunables(self.at.tunables),
            warmup_rate=parse_rate(options.warmup_rate),
            warmup_s=options.warmup_s,
            ramp_target=parse_target(options.ramp_target),
            ramp_s=options.ramp_s,
            hold_s=options.hold_s,
            step_loads=parse_steps(options.steps),
            latency_rate_pps=None if latency is None else latency.value,
            interval_s=options.interval,
            threshold=options.fail_threshold,
            ignore_link_down=options.ignore_link_down,
            include_disturbed=options.include_disturbed
            or (is_local(self.at.server or SERVER) and not is_virtual_here()),
            **plan_head(self.at, options),
        )
        check_plan(self.plan)
        self._load = load_for(self.plan)

    def run(self, plan: LoadPlan, execution: Execution) -> Result:
        result = run_loadtest(plan, execution, self._load)
        note = ceiling_note(plan.lab, len(plan.directions), plan.most_percent)
        return result if note is None else result.noted(note)

    def recorder(self, journal: Journal) -> JournalRecorder:
        return JournalRecorder(journal, sample_to_json)


KIND = Loadtest
