"""A search, as `wirespeed search` runs it."""

from __future__ import annotations

from wirespeed.measurement.execution import Execution
from wirespeed.measurement.measurement import Measurement
from wirespeed.measurement.plan_head import given_of, plan_head
from wirespeed.measurement.search.goals import PRESETS, goals_of
from wirespeed.measurement.search.live import summary, watcher
from wirespeed.measurement.search.options import SearchOptions
from wirespeed.measurement.search.plan import SearchPlan, check_plan, parse_latency, parse_mrr
from wirespeed.measurement.search.result import SearchResult
from wirespeed.measurement.search.run import loads_for, raise_for_ending, run_search
from wirespeed.measurement.stand import with_bench
from wirespeed.trial.plan import parse_tunables
from wirespeed.units import parse_rate


class Search(Measurement[SearchOptions, SearchResult]):
    """NDR and PDR by MLRsearch, MRR, and latency at shares of them."""

    summary = staticmethod(summary)
    raise_for = staticmethod(raise_for_ending)
    view = staticmethod(watcher)

    def __init__(self, options: SearchOptions) -> None:
        super().__init__(options)
        self.at = with_bench(options.testbed, given_of(options), default_profile="bench")
        goals = goals_of(options.goal, options.preset)
        self.plan = SearchPlan(
            profile=self.at.profile,
            tunables=parse_tunables(self.at.tunables),
            goals=() if options.mrr and not options.goal else goals,
            preset=options.preset,
            least=parse_rate(options.least),
            most=parse_rate(options.most),
            warmup_s=PRESETS[options.preset].warmup_s,
            limit_s=options.time_s,
            mrr=parse_mrr(options.mrr) if options.mrr else None,
            latency=parse_latency(options.latency) if options.latency else None,
            robust=options.repeat_disturbed,
            **plan_head(self.at, options),
        )
        check_plan(self.plan)
        self._loads = loads_for(self.plan)

    def run(self, plan: SearchPlan, execution: Execution) -> SearchResult:
        return run_search(plan, execution, self._loads)


KIND = Search
