"""Tests of stateful devices, as `wirespeed stateful` runs them."""

from __future__ import annotations

from pathlib import Path

from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_as
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.rfc.command import by_command
from wirespeed.measurement.stand import with_bench
from wirespeed.measurement.stateful.live import LINES
from wirespeed.measurement.stateful.options import StatefulOptions
from wirespeed.measurement.stateful.plan import (
    StatefulPlan,
    check_plan,
    flow_settings,
    parse_counts,
    parse_test,
    parse_ways,
    transport_of,
    with_capacity,
)
from wirespeed.measurement.stateful.result import StatefulResult
from wirespeed.measurement.stateful.run import raise_for_ending, run_stateful
from wirespeed.measurement.stateful.text import TEXT
from wirespeed.results.subjects import Judge
from wirespeed.units import parse_duration, parse_ratio


class Stateful(Measurement[StatefulOptions, StatefulResult]):
    """The tests that the options name, for each number of flows."""

    summary = staticmethod(LINES.summary)
    raise_for = staticmethod(raise_for_ending)
    view = staticmethod(LINES.watcher)

    def __init__(self, options: StatefulOptions) -> None:
        super().__init__(options)
        self.at = with_bench(options.testbed, given_of(options, profile="stateful"))
        transport = transport_of(options.protocol)
        settings = flow_settings(self.at.tunables, self.at.mode == "ip6", transport)
        is_measured = options.beside == ""
        plan = StatefulPlan(
            tests=parse_test(options.test),
            transport=transport,
            flows=parse_counts("--flows", options.flows),
            addresses=parse_counts("--addresses", options.addresses),
            ways=parse_ways(options.ways),
            trial_s=options.trial_s,
            repeats=options.repeats,
            resolution=parse_ratio(options.resolution, "--resolution"),
            alpha=parse_ratio(options.alpha, "--alpha"),
            timeout_s=parse_duration(options.timeout) if options.timeout not in ("", "none") else None,
            over_timeout=options.timeout == "none",
            without_filter=is_measured,
            robust=options.repeat_disturbed,
            **settings,
            **plan_head(self.at, options, name="stateful"),
        )
        self.plan = with_capacity(plan, options.capacity)
        check_plan(self.plan)
        self._empty = by_command(options.empty_command, "--empty-command") if options.empty_command else None
        self._beside = None
        if options.beside not in ("", "none"):
            self._beside = read_as(StatefulResult, Path(options.beside))

    @classmethod
    def instead(cls, options: StatefulOptions, judge: Judge, /) -> str | None:
        """Report of the result file of `--show`; FileFault if the file is of another kind."""
        if options.show is None:
            return None
        result = read_as(StatefulResult, options.show)
        return TEXT.text_block(result, judge(result))

    def run(self, plan: StatefulPlan, execution: Execution) -> StatefulResult:
        return run_stateful(plan, execution, self._empty, self._beside)


KIND = Stateful
