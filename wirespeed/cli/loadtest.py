"""`wirespeed loadtest`: warm up, ramp the load linearly, hold it; write a result file."""

from __future__ import annotations

from dataclasses import replace

from wirespeed.cli.spliced import spliced
from wirespeed.ending_signals import stop_on_signals
from wirespeed.measurement.loadtest.options import LoadtestOptions
from wirespeed.measurement.option import bare_values

OPTIONAL_VALUES = bare_values(LoadtestOptions)
"""Options that may stand without a value, and what they mean then."""


@spliced
def command(options: LoadtestOptions) -> int:
    """Warm up, ramp the load linearly, hold it; write a result file.

    Progress goes to standard error. Ctrl-C stops the traffic, gives the ports back and keeps what was measured. Samples
    are kept in FILE.part as they come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.bench.ceiling import ceiling_note  # noqa: PLC0415
    from wirespeed.bench.options import SERVER  # noqa: PLC0415
    from wirespeed.cli.measuring import conclude, exit_code, given_of, keeping, plan_head, shown  # noqa: PLC0415
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
    if options.recover is not None:
        return recover_result(options.recover, options.output, console, options.quiet)
    latency_rate = parse_rate(options.latency) if options.latency else None
    if latency_rate is not None and latency_rate.unit != "pps":
        raise UsageError(f"latency stream of {options.latency}: give packets a second, such as 1kpps")
    at = with_bench(options.bench, given_of(options), default_profile="imix")
    plan = LoadPlan(
        profile=at.profile,
        tunables=parse_tunables(at.tunables),
        warmup_rate=parse_rate(options.warmup_mult),
        warmup_s=options.warmup_duration,
        ramp_target=parse_target(options.rampup_target),
        ramp_s=options.rampup_duration,
        hold_s=options.hold_duration,
        step_loads=parse_steps(options.steps),
        latency_rate_pps=None if latency_rate is None else latency_rate.value,
        interval_s=options.interval,
        threshold=options.fail_threshold,
        ride_link=options.ride_link,
        keep_spoilt=options.keep_spoilt or (is_local(at.server or SERVER) and not is_virtual_here()),
        **plan_head(at, options),
    )
    check_plan(plan)
    out = Output(options.output)
    load = load_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(options.output, web=options.web),
        stand_of(at, options.bench, options.force, stop=stop) as stand,
    ):
        plan = replace(plan, lab=stand.lab, dut=stand.device)
        with watcher(console, plan, title_of(plan), options.quiet) as view:
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
    conclude(console, result, lambda verdict: summary(result, verdict, where), options.quiet)
    raise_for_outcome(result)
    return exit_code(result.outcome.status)
