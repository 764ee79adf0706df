"""`wirespeed rfc2544`: the benchmarks of RFC 2544 and of those that update it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from wirespeed.results.rfc2544 import Rfc2544Result

RESTART = "software reset: the router's process is ended and started again"


def command(
    *,
    test: Annotated[
        str,
        typer.Argument(
            metavar="[TEST]",
            help="throughput, latency, frame-loss, back-to-back, recovery, reset or all. What needs the throughput "
            "searches it first.",
        ),
    ] = "all",
    server: ServerOption = None,
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes",
            metavar="N,N,...",
            help="Frame sizes with FCS, and imix.",
            show_default="64,128,256,512,1024,1280,1518",
        ),
    ] = "",
    trial: Annotated[
        float, typer.Option("--trial", parser=number, metavar="S", help="Seconds of a trial; the RFC has 60.")
    ] = 60.0,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            metavar="N",
            help="Of latency, back-to-back, recovery and reset; else 20, 50, 3 and 3, fewer where trials are shorter.",
            show_default=False,
        ),
    ] = None,
    resolution: Annotated[
        str, typer.Option("--resolution", metavar="SHARE", help="How exactly loads and bursts are searched.")
    ] = "1%",
    waits: Annotated[
        str,
        typer.Option(
            "--waits",
            metavar="S,S,S",
            help="Seconds after learning, for residual frames, to restabilise; else 2,2,5, less where trials are "
            "shorter.",
            show_default=False,
        ),
    ] = "",
    ip6: Annotated[bool, typer.Option("--ip6", help="IPv6 in 2001:2::/48, as RFC 5180 has it.")] = False,
    tunables: TunablesOption = "",
    reset_command: Annotated[
        str,
        typer.Option(
            "--reset-command", metavar="CMD", help="What resets the DUT; the router of a lab is restarted without."
        ),
    ] = "",
    output: OutputOption = "-",
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="File for the report as text that can be pasted.")
    ] = None,
    show: Annotated[
        Path | None, typer.Option("--show", metavar="FILE", help="Print the report of this result as text, and end.")
    ] = None,
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
    """Measure as RFC 2544 has it, with RFC 9004 (bursts), 6201 (reset) and 5180 (IPv6), by frame size.

    Loads are frames a second of each direction, both at once unless -u. Where a test differs from the RFC, as by
    shorter trials, its result says so. Ctrl-C stops the traffic and keeps what is known. Trials are kept in FILE.part
    as they come, so that a kill loses none.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.bench.options import Given  # noqa: PLC0415
    from wirespeed.cli.measuring import exit_code, keeping, plan_head, say, shown  # noqa: PLC0415
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
    if recover is not None:
        return recover_result(recover, output, console, quiet)
    if show is not None:
        return _show(show)
    family = ",".join(filter(None, (tunables, "ip=6" if ip6 else "")))
    at = with_bench(bench, Given(server, dut, lab, ports, wires, line, "bench", family, power))
    plan = Rfc2544Plan(
        tests=parse_test(test),
        frames=parse_sizes(sizes, at.mode == "ip6" or ip6),
        trial_s=trial,
        repeats=repeats,
        waits_s=parse_waits(waits) if waits else None,
        resolution=parse_share(resolution),
        ip6=at.mode == "ip6" or ip6,
        tunables=parse_tunables(tunables),
        robust=robust,
        **plan_head(
            at, output, direction=direction, unidirectional=unidirectional, verify=verify, force=force, name="rfc2544"
        ),
    )
    check_plan(plan)
    by_command = reset_by(reset_command) if reset_command else None
    out = Output(output)
    if text is not None:
        check_writable(text)
    loads = loads_for(plan)
    with (
        stop_on_signals() as stop,
        keeping(out),
        shown(output, web=web),
        stand_of(at, bench, force, stop=stop) as stand,
    ):
        do_reset = by_command or stand.restart
        kind = f"by the command {reset_command}" if by_command else RESTART if stand.restart else ""
        plan = plan.on(lab=stand.lab, dut=stand.device, reset_kind=kind)
        with watcher(console, plan.title, quiet) as view:
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
    if text is not None:
        _write_text(result, text)
    say(console, summary(result, verdict_of(result), where), quiet)
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
