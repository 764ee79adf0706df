"""A soak, as `wirespeed soak` runs it: begun, or gone on with."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from wirespeed.errors import UsageError
from wirespeed.measurement.execution import Execution
from wirespeed.measurement.file import of_journal, read_file
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.soak.head import load_for
from wirespeed.measurement.soak.journal import SoakJournal
from wirespeed.measurement.soak.live import summary, watcher
from wirespeed.measurement.soak.options import SoakOptions
from wirespeed.measurement.soak.plan import (
    SoakPlan,
    check_plan,
    parse_latency,
    plan_of,
    share_of,
)
from wirespeed.measurement.soak.result import SoakResult
from wirespeed.measurement.soak.run import run_soak
from wirespeed.measurement.stand import with_bench
from wirespeed.results.journal import Journal, check_ended, journal_path, read_journal
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import Rate, parse_duration, parse_rate, parse_ratio


class Soak(Measurement[SoakOptions, SoakResult]):
    """A load held for minutes to days."""

    summary = staticmethod(summary)
    view = staticmethod(watcher)

    def __init__(self, options: SoakOptions) -> None:
        super().__init__(options)
        self.at = with_bench(options.testbed, given_of(options), default_profile="bench")
        self._earlier: SoakResult | None = None
        plan = self._new() if options.resume is None else self._resumed(options.resume)
        if self.at.lab or not self.at.server:
            plan = replace(plan, patience_s=0.0)  # it goes down with its generator
        check_plan(plan)
        self.plan, self._load, self.lasting_s = plan, load_for(plan), plan.duration_s

    def run(self, plan: SoakPlan, execution: Execution) -> SoakResult:
        return run_soak(plan, execution, self._load, self._earlier)

    def recorder(self, journal: Journal) -> SoakJournal:
        return SoakJournal(journal)

    def _new(self) -> SoakPlan:
        options = self.options
        rate, origin = _load(options)
        if not options.duration:
            raise UsageError("say how long to hold the load: --duration 60, 10m, 8h or 3d")
        return SoakPlan(
            profile=self.at.profile,
            tunables=parse_tunables(self.at.tunables),
            load=rate,
            load_from=origin,
            duration_s=parse_duration(options.duration),
            target_ratio=parse_ratio(options.target_loss, "--target-loss"),
            confidence=parse_ratio(options.confidence, "--confidence"),
            latency_pps=parse_latency(options.latency),
            patience_s=options.reconnect_timeout,
            **plan_head(self.at, options),
            lab_name=self.at.lab,
        )

    def _resumed(self, file: Path) -> SoakPlan:
        """The plan of the soak in `file` or in its journal."""
        options = self.options
        if options.load or options.from_search or options.output:
            raise UsageError("--resume uses the settings of its file; leave out --load, --from-search and -o")
        earlier = _earlier(file)
        duration_s = parse_duration(options.duration) if options.duration else None
        plan = replace(plan_of(earlier, duration_s), patience_s=options.reconnect_timeout, force=options.force)
        if plan.duration_s <= earlier.verdict.watched_s:
            raise UsageError(f"{file} is complete with {plan.duration_s:g} s; give a longer --duration to continue")
        self._earlier, self.goes_on, self.options = earlier, True, replace(options, output=str(file))
        if options.testbed is None:
            self.at = replace(self.at, lab=options.lab or plan.lab_name)
            if options.server is None and plan.server and not self.at.lab:
                self.at = replace(self.at, server=plan.server)
        return plan


def _load(options: SoakOptions) -> tuple[Rate, str]:
    """The load and, if it is a share, its reference. UsageError if the options give no load, or two."""
    if bool(options.load) == (options.from_search is not None):
        raise UsageError(
            "give the load to hold: --load RATE or percent, or --from-search FILE --share 90% of a search result"
        )
    if options.from_search is None:
        return parse_rate(options.load), ""
    from wirespeed.measurement.search.result import SearchResult  # noqa: PLC0415 - no other soak needs that kind

    search = read_file(options.from_search)
    if not isinstance(search, SearchResult):
        raise UsageError(
            f"--from-search {options.from_search} is not a result of `wirespeed search`; give one, or --load"
        )
    return share_of(search.goals, parse_ratio(options.share, "--share"), options.goal, str(options.from_search))


def _earlier(file: Path) -> SoakResult:
    """The soak in `file` or in its journal, which no running test may be writing."""
    journal = journal_path(file)
    if journal.is_file():
        check_ended(journal)
        earlier = replace(of_journal(read_journal(journal), journal), name=file.stem)
    else:
        earlier = read_file(file)
    if not isinstance(earlier, SoakResult):
        raise UsageError(f"--resume {file} is not a result of `wirespeed soak`")
    return earlier


KIND = Soak
