"""`wirespeed search`: the highest loads that a DUT carries, with their bounds."""

from __future__ import annotations

from typing import Annotated

import typer

from wirespeed.cli.options import (
    BenchOption,
    DirectionOption,
    DutOption,
    LabOption,
    LineOption,
    OutputOption,
    PortsOption,
    PowerOption,
    ProfileOption,
    QuietOption,
    RecoverOption,
    RobustOption,
    ServerOption,
    TunablesOption,
    UnidirectionalOption,
    VerifyOption,
    WebOption,
    WiresOption,
    number,
)
from wirespeed.ending_signals import stop_on_signals

OPTIONAL_VALUES = {"--mrr": "10x1", "--latency": "9kpps"}
"""Options that may stand without a value, and what they mean then."""


def command(
    *,
    server: ServerOption = None,
    profile: ProfileOption = "bench",
    tunables: TunablesOption = "",
    output: OutputOption = "-",
    goal: Annotated[
        list[str] | None,
        typer.Option(
            "--goal",
            metavar="GOAL",
            help="ndr, pdr, pdr=0.1%, or NAME:loss=…,exceed=…,initial=…,final=…,sum=…,width=…; may be given again.",
            show_default="those of the preset",
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option("--preset", metavar="csit|rfc2544|tst009|quick", help="What goals are unless they say otherwise."),
    ] = "csit",
    least: Annotated[str, typer.Option("--min", metavar="RATE", help="Lowest load of each direction.")] = "9001pps",
    most: Annotated[str, typer.Option("--max", metavar="RATE", help="Highest load of each direction.")] = "100%",
    limit: Annotated[
        float, typer.Option("--time", parser=number, metavar="S", help="Seconds that the search may take.")
    ] = 1200.0,
    mrr: Annotated[
        str,
        typer.Option(
            "--mrr",
            metavar="[NxS]",
            help="Measure the maximum receive rate too, in N trials of S seconds; 10x1 unless told. Without --goal "
            "nothing else is.",
            show_default=False,
        ),
    ] = "",
    latency: Annotated[
        str,
        typer.Option(
            "--latency",
            metavar="[RATE[,S]]",
            help="Measure latency at 0, 10, 50 and 90 % of PDR afterwards, by a stream of RATE for S seconds each.  "
            "[default: (9kpps,5)]",
            show_default=False,
        ),
    ] = "",
    robust: RobustOption = None,
    lab: LabOption = "",
    unidirectional: UnidirectionalOption = False,
    direction: DirectionOption = "both",
    ports: PortsOption = None,
    wires: WiresOption = "",
    verify: VerifyOption = False,
    line: LineOption = "",
    dut: DutOption = None,
    bench: BenchOption = None,
    power: PowerOption = "",
    force: Annotated[
        bool, typer.Option("--force", help="Take the ports from whoever holds them; send without a link.")
    ] = False,
    recover: RecoverOption = None,
    web: WebOption = False,
    quiet: QuietOption = False,
) -> int:
    """Find NDR and PDR by MLRsearch, MRR, and latency at shares of them.

    Loads are packets a second of each direction; loss is that of all directions together. Progress goes to standard
    error. Ctrl-C stops the traffic and keeps what is known, marked as irregular. Trials are kept in FILE.part as they
    come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.bench.options import Given  # noqa: PLC0415
    from wirespeed.cli.measuring import conclude, exit_code, keeping, plan_head, shown  # noqa: PLC0415
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
    if recover is not None:
        return recover_result(recover, output, console, quiet)
    given = Given(server, dut, lab, ports, wires, line, profile, tunables, power)
    at = with_bench(bench, given, default_profile="bench")
    goals = goals_of(goal or [], preset)
    plan = SearchPlan(
        profile=at.profile,
        tunables=parse_tunables(at.tunables),
        goals=() if mrr and not goal else goals,
        preset=preset,
        least=parse_rate(least),
        most=parse_rate(most),
        warmup_s=PRESETS[preset].warmup_s,
        limit_s=limit,
        mrr=parse_mrr(mrr) if mrr else None,
        latency=parse_latency(latency) if latency else None,
        robust=robust,
        **plan_head(at, output, direction=direction, unidirectional=unidirectional, verify=verify, force=force),
    )
    check_plan(plan)
    out = Output(output)
    loads = loads_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(output, web=web),
        stand_of(at, bench, force, stop=stop) as stand,
    ):
        with watcher(console, plan.title, quiet) as view:
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
    conclude(console, result, lambda verdict: summary(result, verdict, where), quiet)
    raise_for_ending(result)
    return exit_code(result.ending.status)
