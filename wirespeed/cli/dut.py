"""`wirespeed dut`: prepare a device under test, put it back, collect what it tells, show what a result has of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.cli.options import BenchOption, number
from wirespeed.cli.plain import option_name
from wirespeed.cli.verbs import is_given, refuse_other_options

DeviceOption = Annotated[
    str,
    typer.Option(
        "--dut",
        metavar="KIND:WAY",
        help="The device, as linux:ssh://root@box, linux:netns:NAME, vpp:local or router:/path/router.sock.",
        show_default=False,
    ),
]
SwitchOption = Annotated[Literal["on", "off", ""], typer.Option(show_default=False)]

_PREPARE = (
    "mode",
    "interface",
    "route",
    "label",
    "routes",
    "routes_by",
    "queues",
    "rx_desc",
    "tx_desc",
    "workers",
    "cpus",
    "driver",
    "devargs",
    "filter",
    "governor",
    "turbo",
)
OPTION_VERBS = {
    **dict.fromkeys(("dut", "bench"), ("prepare", "restore", "collect", "describe")),
    **dict.fromkeys((*_PREPARE, "dry_run"), ("prepare",)),
    **dict.fromkeys(("duration", "interval", "output"), ("collect",)),
    "journal": ("prepare", "restore"),
}
"""Verbs that take an option; the other options are for all of them."""
_MODE = "ip4"
_DURATION_S, _INTERVAL_S = 10.0, 1.0


def command(
    action: Annotated[
        Literal["prepare", "restore", "collect", "describe", "show"],
        typer.Argument(help="What to do.", metavar="ACTION"),
    ],
    words: Annotated[list[str] | None, typer.Argument(metavar="[RESULT [TEXT]]", help="Of show.")] = None,
    *,
    dut: DeviceOption = "",
    bench: BenchOption = None,
    mode: Annotated[
        str, typer.Option("--mode", metavar="ip4|ip6|l2xc|mpls", help="prepare: what it forwards.", show_default=_MODE)
    ] = "",
    interface: Annotated[
        list[str] | None,
        typer.Option(
            "--interface",
            metavar="NAME[,mac=MAC][,address=A/N][,tester=A][,pci=ADDR]",
            help="An interface on a wire of the tester, and the tester's MAC there; twice.",
        ),
    ] = None,
    route: Annotated[
        list[str] | None, typer.Option("--route", metavar="PREFIX=ADDRESS", help="In place of 16/8 and 48/8.")
    ] = None,
    label: Annotated[
        list[str] | None, typer.Option("--label", metavar="N=ADDRESS", help="In place of labels 16 and 17.")
    ] = None,
    routes: Annotated[
        str,
        typer.Option("--routes", metavar="FILE|internet", help="A full table besides: a prefix a line, or made up."),
    ] = "",
    routes_by: Annotated[
        Literal["", "bird"],
        typer.Option("--routes-by", metavar="bird", help="Linux: a BIRD there loads it, else ip.", show_default=False),
    ] = "",
    queues: Annotated[int | None, typer.Option("--queues", metavar="N", help="Receive queues an interface.")] = None,
    rx_desc: Annotated[
        int | None, typer.Option("--rx-desc", metavar="N", help="Descriptors of a receive queue.")
    ] = None,
    tx_desc: Annotated[
        int | None, typer.Option("--tx-desc", metavar="N", help="Descriptors of a transmit queue.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", metavar="N", help="Workers of VPP or the router.")] = None,
    cpus: Annotated[str, typer.Option("--cpus", metavar="LIST", help="CPUs of interrupts or workers, as 1-3.")] = "",
    driver: Annotated[str, typer.Option("--driver", metavar="NAME", help="VPP: the driver of its ports.")] = "",
    devargs: Annotated[str, typer.Option("--devargs", metavar="TEXT", help="VPP: devargs of its ports.")] = "",
    filter: Annotated[
        Literal["on", "off"] | None,
        typer.Option("--filter", help="off: without nftables or pf, until restored.", show_default="on"),
    ] = None,
    governor: Annotated[str, typer.Option("--governor", metavar="NAME", help="Of the CPUs, such as performance.")] = "",
    turbo: Annotated[str, typer.Option("--turbo", metavar="on|off", help="Else left as it is.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="prepare: show the steps, change nothing.")] = False,
    duration: Annotated[
        float | None,
        typer.Option(
            "--duration", parser=number, metavar="S", help="collect: seconds.", show_default=f"{_DURATION_S:g}"
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(
            "--interval",
            parser=number,
            metavar="S",
            help="collect: seconds from one reading to the next.",
            show_default=f"{_INTERVAL_S:g}",
        ),
    ] = None,
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="collect: file to write, - for standard output.", show_default="-"
        ),
    ] = "",
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="FILE", help="Of what is to be put back; else ~/.local/state/wirespeed/dut."),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say only what went wrong.")] = False,
) -> int:
    """Prepare a device under test, put it back, collect what it tells, or show what a result holds of it.

    prepare makes the device a router between two interfaces, by a plan whose steps are kept on disk before each is
    done; restore puts all of them back, also after a crash. describe asks what it is. collect keeps what it counts
    while you load it. show prints a text that was kept: `wirespeed dut show RESULT 'show run'`.
    """
    from wirespeed.dut import commands  # noqa: PLC0415
    from wirespeed.dut.of_bench import read_dut  # noqa: PLC0415
    from wirespeed.dut.options import options_of, setup_of  # noqa: PLC0415
    from wirespeed.ending_signals import leave_on_signals  # noqa: PLC0415 - a command starts fast
    from wirespeed.errors import UsageError  # noqa: PLC0415

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    refuse_other_options(command, OPTION_VERBS, action, locals())
    given = words or []
    if action == "show":
        if not 1 <= len(given) <= 2:
            raise UsageError("give a result file, and which of its texts: wirespeed dut show RESULT 'show run'")
        print(commands.show(Path(given[0]), given[1] if len(given) == 2 else ""), end="")
        return 0
    if given:
        raise UsageError(f"{action} takes no {given[0]!r}; the device is named by --dut or --bench")
    if bool(dut) == (bench is not None):
        raise UsageError("name the device by --dut KIND:WAY or by --bench FILE, one of them")
    values = locals()
    for parameter in _PREPARE if bench is not None else ():
        if is_given(values[parameter]):
            word = option_name(command, parameter)
            raise UsageError(f"{bench} says how the device is prepared; leave out {word}, or change the file")
    options = options_of(
        queues, rx_desc, tx_desc, workers, cpus, driver, devargs, filter or "on", governor, turbo, routes_by
    )
    setup = setup_of(mode or _MODE, interface, route or [], label or [], routes, options) if interface else None
    if bench is not None:
        device, setup = read_dut(bench)
    else:
        device = commands.device_of(dut)
    with leave_on_signals(KeyboardInterrupt), commands.closing(device):
        match action:
            case "prepare":
                if setup is None:
                    raise UsageError("prepare needs two of --interface NAME,mac=MAC, or --bench FILE")
                text = commands.prepare(device, setup, journal, dry_run, say)
            case "restore":
                text = commands.restore(device, journal, say)
            case "describe":
                text = commands.describe(device)
            case "collect":
                text = commands.collect(
                    device,
                    _DURATION_S if duration is None else duration,
                    _INTERVAL_S if interval is None else interval,
                    output or "-",
                    say,
                )
    print(text, end="")
    return 0
