"""Tests of stateful devices, as `wirespeed stateful` runs them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from rich.console import Console

from wirespeed.files import write_atomically
from wirespeed.measurement.file import read_as
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.output import check_writable
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.rfc2544.reset_command import reset_by
from wirespeed.measurement.stand import Stand, with_bench
from wirespeed.measurement.stateful.bench import StatefulProgress
from wirespeed.measurement.stateful.live import summary, watcher
from wirespeed.measurement.stateful.options import StatefulOptions
from wirespeed.measurement.stateful.plan import (
    LEAST_BYTES,
    StatefulPlan,
    check_plan,
    parse_flows,
    parse_test,
    parse_ways,
)
from wirespeed.measurement.stateful.result import StatefulResult
from wirespeed.measurement.stateful.run import raise_for_ending, run_stateful
from wirespeed.measurement.stateful.text import text_block
from wirespeed.results.journal import Journal
from wirespeed.results.recorder import JournalRecorder
from wirespeed.units import parse_ratio
from wirespeed.watching import Watcher


class Stateful(Measurement[StatefulOptions, StatefulResult]):
    """The tests that the options name, for each number of flows."""

    summary = staticmethod(summary)

    def __init__(self, options: StatefulOptions) -> None:
        super().__init__(options)
        self.at = with_bench(options.testbed, given_of(options, profile="stateful"))
        ip6 = self.at.mode == "ip6" or options.ip6
        self._plan = StatefulPlan(
            tests=parse_test(options.test),
            flows=parse_flows(options.flows),
            ways=parse_ways(options.ways),
            size=LEAST_BYTES[ip6] if options.size is None else options.size,
            trial_s=options.trial_s,
            repeats=options.repeats,
            resolution=parse_ratio(options.resolution, "--resolution"),
            alpha=parse_ratio(options.alpha, "--alpha"),
            opening=parse_ratio(options.opening, "--opening"),
            rest_s=options.rest_s,
            source=options.initiator,
            destination=options.responder,
            addresses=options.addresses,
            source_ports=options.source_ports,
            ip6=ip6,
            timeout_s=options.timeout_s,
            over_timeout=options.over_timeout,
            without_filter=options.without_filter,
            robust=options.repeat_disturbed,
            **plan_head(self.at, options, name="stateful"),
        )
        check_plan(self._plan)
        self._empty = reset_by(options.empty_command, "--empty-command") if options.empty_command else None
        self._beside = None if options.beside is None else read_as(StatefulResult, options.beside)
        if options.text is not None:
            check_writable(options.text)

    @classmethod
    def instead(cls, options: StatefulOptions, /) -> str | None:
        """The report of the result file that is to be shown; FileFault when it is of another kind."""
        return None if options.show is None else text_block(read_as(StatefulResult, options.show))

    def watcher(self, console: Console) -> Watcher[StatefulProgress]:
        return watcher(console, self._plan.title, self.options.quiet)

    def run(
        self, stand: Stand, watch: Callable[[StatefulProgress], None], stop: Event, journal: Journal
    ) -> StatefulResult:
        return run_stateful(
            self._plan.on(stand.lab, stand.device),
            stand.client,
            watch=watch,
            dut=stand.dut,
            stop=stop,
            recorder=JournalRecorder(journal),
            empty=self._empty,
            beside=self._beside,
        )

    def keep_more(self, result: StatefulResult) -> None:
        if self.options.text is not None:
            write_atomically(self.options.text, text_block(result), "text report")

    def raise_for(self, result: StatefulResult) -> None:
        raise_for_ending(result)


KIND = Stateful
