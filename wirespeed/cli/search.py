"""`wirespeed search`: the highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from wirespeed.cli.spliced import spliced
from wirespeed.ending_signals import stop_on_signals
from wirespeed.measurement.option import bare_values
from wirespeed.measurement.search.options import SearchOptions

OPTIONAL_VALUES = bare_values(SearchOptions)
"""Options that may stand without a value, and what they mean then."""


@spliced
def command(options: SearchOptions) -> int:
    """Find NDR and PDR by MLRsearch, MRR, and latency at shares of them.

    Loads are packets a second of each direction; loss is that of all directions together. Progress goes to standard
    error. Ctrl-C stops the traffic and keeps what is known, marked as irregular. Trials are kept in FILE.part as they
    come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.cli.measuring import conclude, exit_code, given_of, keeping, plan_head, shown  # noqa: PLC0415
    from wirespeed.cli.recover import recover as recover_result  # noqa: PLC0415
    from wirespeed.cli.stand import stand_of, with_bench  # noqa: PLC0415
    from wirespeed.loadtest.plan import parse_tunables  # noqa: PLC0415
    from wirespeed.results.output import Output  # noqa: PLC0415
    from wirespeed.results.search_json import SearchJournal  # noqa: PLC0415
    from wirespeed.search.goals import PRESETS, goals_of  # noqa: PLC0415
    from wirespeed.search.live import summary, watcher  # noqa: PLC0415
    from wirespeed.search.plan import SearchPlan, check_plan, parse_latency, parse_mrr  # noqa: PLC0415
    from wirespeed.search.run import loads_for, raise_for_ending, run_search  # noqa: PLC0415
    from wirespeed.units import parse_rate  # noqa: PLC0415

    console = Console(stderr=True, soft_wrap=True)
    if options.recover is not None:
        return recover_result(options.recover, options.output, console, options.quiet)
    at = with_bench(options.bench, given_of(options), default_profile="bench")
    goals = goals_of(options.goal or [], options.preset)
    plan = SearchPlan(
        profile=at.profile,
        tunables=parse_tunables(at.tunables),
        goals=() if options.mrr and not options.goal else goals,
        preset=options.preset,
        least=parse_rate(options.least),
        most=parse_rate(options.most),
        warmup_s=PRESETS[options.preset].warmup_s,
        limit_s=options.limit,
        mrr=parse_mrr(options.mrr) if options.mrr else None,
        latency=parse_latency(options.latency) if options.latency else None,
        robust=options.robust,
        **plan_head(at, options),
    )
    check_plan(plan)
    out = Output(options.output)
    loads = loads_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(options.output, web=options.web),
        stand_of(at, options.bench, options.force, stop=stop) as stand,
    ):
        with watcher(console, plan.title, options.quiet) as view:
            result = run_search(
                plan.on(lab=stand.lab, dut=stand.device),
                stand.client,
                watch=view,
                dut=stand.dut,
                stop=stop,
                loads=loads,
                recorder=SearchJournal(out.journal()),
            )
        where = out.keep(result)
    conclude(console, result, lambda verdict: summary(result, verdict, where), options.quiet)
    raise_for_ending(result)
    return exit_code(result.ending.status)
