"""Tests of RFC 2544, as `wirespeed rfc2544` runs them."""

from __future__ import annotations

from wirespeed.files import write_atomically
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import read_as
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.output import check_writable
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.rfc.command import by_command
from wirespeed.measurement.rfc2544.live import LINES
from wirespeed.measurement.rfc2544.options import Rfc2544Options
from wirespeed.measurement.rfc2544.plan import (
    Rfc2544Plan,
    check_plan,
    parse_sizes,
    parse_test,
    parse_waits,
)
from wirespeed.measurement.rfc2544.result import Rfc2544Result
from wirespeed.measurement.rfc2544.run import loads_for, raise_for_ending, run_rfc2544
from wirespeed.measurement.rfc2544.text import TEXT
from wirespeed.measurement.stand import with_bench
from wirespeed.results.subjects import Judge
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import parse_ratio

RESTART = "software reset: the router's process is ended and started again"


class Rfc2544(Measurement[Rfc2544Options, Rfc2544Result]):
    """The tests that the options name, at each frame size."""

    summary = staticmethod(LINES.summary)
    raise_for = staticmethod(raise_for_ending)
    view = staticmethod(LINES.watcher)

    def __init__(self, options: Rfc2544Options) -> None:
        super().__init__(options)
        family = ",".join(filter(None, (options.tunables, "ip=6" if options.ip6 else "")))
        self.at = with_bench(options.testbed, given_of(options, profile="bench", tunables=family))
        ip6 = self.at.mode == "ip6" or options.ip6
        self.plan = Rfc2544Plan(
            tests=parse_test(options.test),
            frames=parse_sizes(options.sizes, ip6),
            trial_s=options.trial_s,
            repeats=options.repeats,
            waits_s=parse_waits(options.waits) if options.waits else None,
            resolution=parse_ratio(options.resolution, "--resolution"),
            ip6=ip6,
            tunables=parse_tunables(options.tunables),
            robust=options.repeat_disturbed,
            **plan_head(self.at, options, name="rfc2544"),
        )
        check_plan(self.plan)
        self._by_command = by_command(options.reset_command, "--reset-command") if options.reset_command else None
        if options.text is not None:
            check_writable(options.text)
        self._loads = loads_for(self.plan)

    @classmethod
    def instead(cls, options: Rfc2544Options, judge: Judge, /) -> str | None:
        """Report of the result file of `--show`; FileFault if the file is of another kind."""
        if options.show is None:
            return None
        result = read_as(Rfc2544Result, options.show)
        return TEXT.text_block(result, judge(result))

    def run(self, plan: Rfc2544Plan, execution: Execution) -> Rfc2544Result:
        kind = RESTART if execution.restart else ""
        if self._by_command:
            kind, execution.restart = f"by the command {self.options.reset_command}", self._by_command
        return run_rfc2544(plan.with_reset(kind), execution, self._loads)

    def keep_more(self, result: Rfc2544Result, judge: Judge) -> None:
        if self.options.text is not None:
            write_atomically(self.options.text, TEXT.text_block(result, judge(result)), "text report")


KIND = Rfc2544
