"""`wirespeed rfc2544`: the benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirespeed.cli.spliced import spliced
from wirespeed.ending_signals import stop_on_signals
from wirespeed.measurement.rfc2544.options import Rfc2544Options

if TYPE_CHECKING:
    from wirespeed.results.rfc2544 import Rfc2544Result

RESTART = "software reset: the router's process is ended and started again"


@spliced
def command(options: Rfc2544Options) -> int:
    """Measure as RFC 2544 has it, with RFC 9004 (bursts), 6201 (reset) and 5180 (IPv6), by frame size.

    Loads are frames a second of each direction, both at once unless -u. Where a test differs from the RFC, as by
    shorter trials, its result says so. Ctrl-C stops the traffic and keeps what is known. Trials are kept in FILE.part
    as they come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.cli.measuring import exit_code, given_of, keeping, plan_head, say, shown  # noqa: PLC0415
    from wirespeed.cli.recover import recover as recover_result  # noqa: PLC0415
    from wirespeed.cli.stand import stand_of, with_bench  # noqa: PLC0415
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415
    from wirespeed.loadtest.plan import parse_tunables  # noqa: PLC0415
    from wirespeed.results.output import Output, check_writable  # noqa: PLC0415
    from wirespeed.results.rfc2544_json import Rfc2544Journal  # noqa: PLC0415
    from wirespeed.rfc2544.live import summary, watcher  # noqa: PLC0415
    from wirespeed.rfc2544.plan import (  # noqa: PLC0415
        Rfc2544Plan,
        check_plan,
        parse_share,
        parse_sizes,
        parse_test,
        parse_waits,
    )
    from wirespeed.rfc2544.reset_command import reset_by  # noqa: PLC0415
    from wirespeed.rfc2544.run import loads_for, raise_for_ending, run_rfc2544  # noqa: PLC0415

    console = Console(stderr=True, soft_wrap=True)
    if options.recover is not None:
        return recover_result(options.recover, options.output, console, options.quiet)
    if options.show is not None:
        return _show(options.show)
    family = ",".join(filter(None, (options.tunables, "ip=6" if options.ip6 else "")))
    at = with_bench(options.bench, given_of(options, profile="bench", tunables=family))
    plan = Rfc2544Plan(
        tests=parse_test(options.test),
        frames=parse_sizes(options.sizes, at.mode == "ip6" or options.ip6),
        trial_s=options.trial,
        repeats=options.repeats,
        waits_s=parse_waits(options.waits) if options.waits else None,
        resolution=parse_share(options.resolution),
        ip6=at.mode == "ip6" or options.ip6,
        tunables=parse_tunables(options.tunables),
        robust=options.robust,
        **plan_head(at, options, name="rfc2544"),
    )
    check_plan(plan)
    by_command = reset_by(options.reset_command) if options.reset_command else None
    out = Output(options.output)
    if options.text is not None:
        check_writable(options.text)
    loads = loads_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(options.output, web=options.web),
        stand_of(at, options.bench, options.force, stop=stop) as stand,
    ):
        do_reset = by_command or stand.restart
        kind = f"by the command {options.reset_command}" if by_command else RESTART if stand.restart else ""
        plan = plan.on(lab=stand.lab, dut=stand.device, reset_kind=kind)
        with watcher(console, plan.title, options.quiet) as view:
            result = run_rfc2544(
                plan,
                stand.client,
                watch=view,
                dut=stand.dut,
                stop=stop,
                loads=loads,
                recorder=Rfc2544Journal(out.journal()),
                do_reset=do_reset,
            )
        where = out.keep(result)
    if options.text is not None:
        _write_text(result, options.text)
    say(console, summary(result, verdict_of(result), where), options.quiet)
    raise_for_ending(result)
    return exit_code(result.ending.status)


def _show(file: Path) -> int:
    from wirespeed.errors import FileFault  # noqa: PLC0415
    from wirespeed.results.file import read_file  # noqa: PLC0415
    from wirespeed.results.rfc2544 import Rfc2544Result  # noqa: PLC0415
    from wirespeed.results.rfc2544_text import text_block  # noqa: PLC0415

    result = read_file(file)
    if not isinstance(result, Rfc2544Result):
        raise FileFault(f"{file} is no result of RFC 2544 tests; `wirespeed report` reads the others")
    print(text_block(result), end="")
    return 0


def _write_text(result: Rfc2544Result, path: Path) -> None:
    from wirespeed.files import write_atomically  # noqa: PLC0415
    from wirespeed.results.rfc2544_text import text_block  # noqa: PLC0415

    write_atomically(path, text_block(result), "text report")
