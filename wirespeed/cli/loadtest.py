"""`wirespeed loadtest`: warm up, ramp the load linearly, hold it; write a result file."""

from __future__ import annotations

from dataclasses import replace
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
    ServerOption,
    TunablesOption,
    UnidirectionalOption,
    VerifyOption,
    WebOption,
    WiresOption,
    number,
)
from wirespeed.ending_signals import stop_on_signals

OPTIONAL_VALUES = {"--latency": "1kpps"}
"""Options that may stand without a value, and what they mean then."""


def command(
    *,
    server: ServerOption = None,
    profile: ProfileOption = "imix",
    tunables: TunablesOption = "",
    output: OutputOption = "-",
    warmup_mult: Annotated[
        str,
        typer.Option("-wm", "--warmup-mult", "--warmup_mult", metavar="RATE", help="Load of the warm-up."),
    ] = "1kpps",
    warmup_duration: Annotated[
        float,
        typer.Option(
            "-wd", "--warmup-duration", "--warmup_duration", parser=number, metavar="S", help="Seconds of warm-up."
        ),
    ] = 30.0,
    rampup_target: Annotated[
        str,
        typer.Option(
            "-rt",
            "--rampup-target",
            "--rampup_target",
            metavar="PERCENT|RATE",
            help="Load to ramp up to: percent of line rate, or a rate such as 5mpps.",
        ),
    ] = "100",
    rampup_duration: Annotated[
        float,
        typer.Option(
            "-rd", "--rampup-duration", "--rampup_duration", parser=number, metavar="S", help="Seconds of ramp-up."
        ),
    ] = 600.0,
    hold_duration: Annotated[
        float,
        typer.Option(
            "-hd", "--hold-duration", "--hold_duration", parser=number, metavar="S", help="Seconds at the target."
        ),
    ] = 30.0,
    unidirectional: UnidirectionalOption = False,
    direction: DirectionOption = "both",
    ports: PortsOption = None,
    wires: WiresOption = "",
    steps: Annotated[
        str,
        typer.Option(
            "--steps",
            metavar="RATE,...",
            help="Hold each of these loads for -hd seconds, such as 1kpps,1mpps,50%, in place of the ramp.",
            show_default=False,
        ),
    ] = "",
    latency: Annotated[
        str,
        typer.Option(
            "--latency",
            metavar="[RATE]",
            help="Add a latency stream to each direction; 1kpps unless told.",
            show_default=False,
        ),
    ] = "",
    verify: VerifyOption = False,
    line: LineOption = "",
    dut: DutOption = None,
    lab: LabOption = "",
    bench: BenchOption = None,
    power: PowerOption = "",
    interval: Annotated[float, typer.Option("--interval", parser=number, metavar="S", help="Seconds a sample.")] = 1.0,
    fail_threshold: Annotated[
        float,
        typer.Option(
            "-f",
            "--fail-threshold",
            parser=number,
            metavar="RATIO",
            help="Share of lost packets above which a sample fails.",
        ),
    ] = 0.001,
    force: Annotated[
        bool, typer.Option("--force", help="Take the ports from whoever holds them; send without a link.")
    ] = False,
    ride_link: Annotated[
        bool, typer.Option("--ride-link", help="Go on when a link is lost, and mark the samples; else the test ends.")
    ] = False,
    keep_spoilt: Annotated[
        bool,
        typer.Option(
            "--keep-spoilt",
            help="Judge samples whose loss comes of a CPU that was away; else they are left out on virtual machines.",
        ),
    ] = False,
    recover: RecoverOption = None,
    web: WebOption = False,
    quiet: QuietOption = False,
) -> int:
    """Warm up, ramp the load linearly, hold it; write a result file.

    Progress goes to standard error. Ctrl-C stops the traffic, gives the ports back and keeps what was measured. Samples
    are kept in FILE.part as they come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.bench.ceiling import ceiling_note  # noqa: PLC0415
    from wirespeed.bench.options import SERVER, Given  # noqa: PLC0415
    from wirespeed.cli.measuring import conclude, exit_code, keeping, plan_head, shown  # noqa: PLC0415
    from wirespeed.cli.recover import recover as recover_result  # noqa: PLC0415
    from wirespeed.cli.stand import stand_of, with_bench  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.loadtest.live import summary, title_of, watcher  # noqa: PLC0415
    from wirespeed.loadtest.outcome import raise_for_outcome  # noqa: PLC0415
    from wirespeed.loadtest.plan import LoadPlan, check_plan, parse_steps, parse_target, parse_tunables  # noqa: PLC0415
    from wirespeed.loadtest.run import load_for, run_loadtest  # noqa: PLC0415
    from wirespeed.measure.machine import is_local, is_virtual_here  # noqa: PLC0415
    from wirespeed.results.loadtest_journal import LoadtestJournal  # noqa: PLC0415
    from wirespeed.results.output import Output  # noqa: PLC0415
    from wirespeed.units import parse_rate  # noqa: PLC0415

    console = Console(stderr=True, soft_wrap=True)
    if recover is not None:
        return recover_result(recover, output, console, quiet)
    latency_rate = parse_rate(latency) if latency else None
    if latency_rate is not None and latency_rate.unit != "pps":
        raise UsageError(f"latency stream of {latency}: give packets a second, such as 1kpps")
    given = Given(server, dut, lab, ports, wires, line, profile, tunables, power)
    at = with_bench(bench, given, default_profile="imix")
    plan = LoadPlan(
        profile=at.profile,
        tunables=parse_tunables(at.tunables),
        warmup_rate=parse_rate(warmup_mult),
        warmup_s=warmup_duration,
        ramp_target=parse_target(rampup_target),
        ramp_s=rampup_duration,
        hold_s=hold_duration,
        step_loads=parse_steps(steps),
        latency_rate_pps=None if latency_rate is None else latency_rate.value,
        interval_s=interval,
        threshold=fail_threshold,
        ride_link=ride_link,
        keep_spoilt=keep_spoilt or (is_local(at.server or SERVER) and not is_virtual_here()),
        **plan_head(at, output, direction=direction, unidirectional=unidirectional, verify=verify, force=force),
    )
    check_plan(plan)
    out = Output(output)
    load = load_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(output, web=web),
        stand_of(at, bench, force, stop=stop) as stand,
    ):
        plan = replace(plan, lab=stand.lab, dut=stand.device)
        with watcher(console, plan, title_of(plan), quiet) as view:
            result = run_loadtest(
                plan,
                stand.client,
                on_sample=view,
                dut=stand.dut,
                stop=stop,
                load=load,
                recorder=LoadtestJournal(out.journal()),
            )
            note = ceiling_note(stand.lab, len(plan.directions), plan.most_percent)
            result = result if note is None else result.noted(note)
            where = out.keep(result)
    conclude(console, result, lambda verdict: summary(result, verdict, where), quiet)
    raise_for_outcome(result)
    return exit_code(result.outcome.status)
