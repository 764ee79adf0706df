"""`wirespeed demo`: from nothing to a table and a report."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from wirespeed.ending_signals import leave_on_signals
from wirespeed.model import PLAIN_MTU


def command(
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer and shorter tests: one minute instead of five.")
    ] = False,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for result files and the report.")] = Path(
        "wirespeed-demo"
    ),
    search: Annotated[
        bool, typer.Option("--search", help="Search for NDR and PDR after each test: up to 90 seconds more per row.")
    ] = False,
    lab: Annotated[
        str,
        typer.Option(
            "--lab",
            metavar="vm[:IMAGE]",
            help="Also test a router in a virtual machine (docs/dut.md).",
            show_default=False,
        ),
    ] = "",
    mtu: Annotated[
        str,
        typer.Option(
            "--mtu",
            metavar="BYTES",
            help="Largest layer 3 packet of both labs; above 1500 jumbo frames are tested too.",
        ),
    ] = str(PLAIN_MTU),
    cpus: Annotated[
        str, typer.Option("--cpus", metavar="N[,N]", help="The CPUs that the labs may use.", show_default="all")
    ] = "",
    web: Annotated[
        bool, typer.Option("--web", help="Show the tests in the browser while they run; standard error shows the URL.")
    ] = False,
    web_grace: Annotated[
        str,
        typer.Option("--web-grace", metavar="TIME", help="Longest time that an open live page stays after the demo."),
    ] = "10m",
    keep: Annotated[
        bool, typer.Option("--keep", help="Leave router and generator running at the end, until Ctrl-C.")
    ] = False,
) -> None:
    """Set up a lab on this machine, run its load tests, write the report.

    The lab is wirespeed's generator and router: two processes, connected by two memifs with a nominal line rate of
    10 Gb/s each. As root, the wirespeed router and the Linux kernel are tested over veth pairs as well. Needs no NIC
    and no hugepages.
    """
    from rich.console import Console  # noqa: PLC0415

    from wirespeed.cli.measuring import shown  # noqa: PLC0415
    from wirespeed.cpus import listed_cpus, settled  # noqa: PLC0415
    from wirespeed.demo.demo import FULL, QUICK, Demo, prepare_directory  # noqa: PLC0415
    from wirespeed.lab.chosen import lab_mtu  # noqa: PLC0415
    from wirespeed.units import parse_duration  # noqa: PLC0415

    machine = None
    if lab:
        from wirespeed.lab.vm_options import parse_vm  # noqa: PLC0415

        machine = parse_vm(lab)  # before the labs that need no option run for minutes
    carried = lab_mtu(mtu, "--mtu")
    # Ended by a supervisor, or by a terminal that goes, is ended as by Ctrl-C: the labs go down in order.
    with leave_on_signals(KeyboardInterrupt), ExitStack() as stack:
        if cpus:
            stack.enter_context(settled(listed_cpus("--cpus", cpus)))
        console = Console()
        prepare_directory(out)
        demo = Demo(console, out, QUICK if quick else FULL, search=search, mtu=carried)
        stack.enter_context(demo.settled())
        stack.enter_context(shown(str(out), parse_duration(web_grace) if web else None))
        demo.run_embedded()
        demo.run_veth()
        if machine is not None:
            demo.run_vm(machine)
        demo.print_table()
        demo.print_reasons()
        report = demo.write_report()
        if report is not None:
            console.print(f"report: {report}", highlight=False, soft_wrap=True)
        if keep:
            demo.keep_lab()
        demo.raise_first_failure()
