"""`wirespeed soak`: a load held for minutes to days, and what that shows of the loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli.spliced import spliced
from wirespeed.ending_signals import stop_on_signals
from wirespeed.measurement.soak.options import SoakOptions

if TYPE_CHECKING:
    from wirespeed.results.soak import SoakResult
    from wirespeed.units import Rate


@spliced
def command(options: SoakOptions) -> int:
    """Hold a load for minutes to days; what was lost, when and by whom, and what loss ratio that shows.

    Progress goes to standard error. Ctrl-C stops the traffic and gives the verdict of what was seen. Seconds are kept
    in FILE.part as they come; --resume FILE goes on after a crash, also of this program while the traffic goes on.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.cli.measuring import exit_code, given_of, keeping, plan_head, say, shown  # noqa: PLC0415
    from wirespeed.cli.recover import recover as recover_result  # noqa: PLC0415
    from wirespeed.cli.stand import stand_of, with_bench  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415
    from wirespeed.loadtest.plan import parse_tunables  # noqa: PLC0415
    from wirespeed.results.output import Output  # noqa: PLC0415
    from wirespeed.results.soak_journal import SoakJournal  # noqa: PLC0415
    from wirespeed.soak.head import load_for  # noqa: PLC0415
    from wirespeed.soak.live import summary, watcher  # noqa: PLC0415
    from wirespeed.soak.plan import (  # noqa: PLC0415
        SoakPlan,
        check_plan,
        parse_latency,
        parse_ratio,
        parse_time,
        plan_of,
    )
    from wirespeed.soak.run import raise_for_ending, run_soak  # noqa: PLC0415

    console = Console(stderr=True, soft_wrap=True)
    if options.recover is not None:
        return recover_result(options.recover, options.output, console, options.quiet)
    at = with_bench(options.bench, given_of(options), default_profile="bench")
    earlier = None
    if options.resume is not None:
        earlier = _earlier(options.resume, told_again=bool(options.load or options.of or options.output != "-"))
        plan = replace(
            plan_of(earlier, parse_time(options.duration) if options.duration else None),
            patience_s=options.patience,
            force=options.force,
        )
        if plan.duration_s <= earlier.verdict.watched_s:
            raise UsageError(f"{options.resume} has all of its {plan.duration_s:g} s; give a longer --for to go on")
        options = replace(options, output=str(options.resume))
        at = at if options.bench else replace(at, lab=options.lab or plan.lab_name)
        if options.server is None and options.bench is None and plan.server and not at.lab:
            at = replace(at, server=plan.server)
    else:
        rate, origin = _load(options.load, options.of, options.share, options.goal)
        if not options.duration:
            raise UsageError("say how long to hold the load: --for 60, 10m, 8h or 3d")
        plan = SoakPlan(
            profile=at.profile,
            tunables=parse_tunables(at.tunables),
            load=rate,
            load_from=origin,
            duration_s=parse_time(options.duration),
            target_ratio=parse_ratio("--show", options.loss),
            confidence=parse_ratio("--confidence", options.confidence),
            latency_pps=parse_latency(options.latency),
            patience_s=options.patience,
            **plan_head(at, options),
            lab_name=at.lab,
        )
    if at.lab or not at.server:
        plan = replace(plan, patience_s=0.0)  # it goes down with its generator
    check_plan(plan)
    out = Output(options.output)
    streams = load_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(options.output, web=options.web),
        stand_of(at, options.bench, options.force, plan.duration_s, stop) as stand,
    ):
        with watcher(console, plan.title, options.quiet) as view:
            result = run_soak(
                plan.on(lab=stand.lab, dut=stand.device),
                stand.client,
                watch=view,
                dut=stand.dut,
                stop=stop,
                load=streams,
                recorder=SoakJournal(out.journal(go_on=earlier is not None)),
                earlier=earlier,
            )
        where = out.keep(result)
    say(console, summary(result, verdict_of(result), where), options.quiet)
    raise_for_ending(result)
    return exit_code(result.ending.status)


def _load(load: str, of: Path | None, share: str, goal: str) -> tuple[Rate, str]:
    """The load and, where it is a share of something, what of; UsageError when the options say none, or two."""
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.results.file import read_file  # noqa: PLC0415
    from wirespeed.results.search import SearchResult  # noqa: PLC0415
    from wirespeed.soak.plan import parse_ratio, share_of  # noqa: PLC0415
    from wirespeed.units import parse_rate  # noqa: PLC0415

    if bool(load) == (of is not None):
        raise UsageError("give the load to hold: --load RATE or percent, or --of FILE --share 90% of a search result")
    if of is None:
        return parse_rate(load), ""
    found = read_file(of)
    if not isinstance(found, SearchResult):
        raise UsageError(f"--of {of} is no result of `wirespeed search`; give one, or --load")
    return share_of(found, parse_ratio("--share", share), goal, str(of))


def _earlier(file: Path, *, told_again: bool) -> SoakResult:
    """The soak that `file` or the journal beside it holds, which nobody writes now; UsageError where what it says was
    told again."""
    from wirespeed.errors import FileFault, UsageError  # noqa: PLC0415
    from wirespeed.results.file import of_journal, read_file  # noqa: PLC0415
    from wirespeed.results.journal import is_being_written, journal_path, read_journal  # noqa: PLC0415
    from wirespeed.results.soak import SoakResult  # noqa: PLC0415

    if told_again:
        raise UsageError("--resume goes on as its file says; leave out --load, --of and -o")
    journal = journal_path(file)
    if journal.is_file():
        if is_being_written(journal):
            raise FileFault(f"the soak that writes {journal} still runs; let it end")
        found = replace(of_journal(read_journal(journal), journal), name=file.stem)
    else:
        found = read_file(file)
    if not isinstance(found, SoakResult):
        raise UsageError(f"--resume {file} is no result of `wirespeed soak`")
    return found
