"""`wirespeed router`: the vector router in the foreground, until it is told to end."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from wirespeed.cli.options import CpuOption, HugepagesOption, MainCpuOption, MarchOption, VerboseOption, march_level


def command(
    interface: Annotated[
        list[str],
        typer.Option("-i", "--interface", metavar="NAME=SPEC", help="A port and what to call it; once for each."),
    ],
    *,
    cpu: CpuOption,
    main_cpu: MainCpuOption = "",
    exec_file: Annotated[
        Path | None,
        typer.Option("-x", "--exec", metavar="FILE", help="Command lines to run before traffic starts."),
    ] = None,
    socket: Annotated[
        Path | None,
        typer.Option(
            "-s", "--socket", metavar="PATH", help="Control socket.", show_default="below /run or XDG_RUNTIME_DIR"
        ),
    ] = None,
    max_routes: Annotated[
        int, typer.Option("--max-routes", metavar="N", help="IPv4 routes to have room for.")
    ] = 262144,
    hugepages: HugepagesOption = "auto",
    march: MarchOption = "auto",
    verbose: VerboseOption = False,
) -> None:
    """Run the vector router."""
    from wirespeed.cpus import settle_main  # noqa: PLC0415
    from wirespeed.router.process import run  # noqa: PLC0415 - --help needs none of it
    from wirespeed.router.protocol import default_socket  # noqa: PLC0415
    from wirespeed.router.settings import router_settings  # noqa: PLC0415

    settings = router_settings(interface, cpu, max_routes)
    settle_main(main_cpu)
    run(
        settings,
        socket or default_socket(),
        exec_file=exec_file,
        hugepages=hugepages,
        march=march_level(march),
        verbose=verbose,
        announce=lambda line: print(line, flush=True),
        warn=lambda line: print(f"wirespeed: {line}", file=sys.stderr, flush=True),
    )
