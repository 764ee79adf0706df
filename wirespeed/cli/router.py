"""`wirespeed router`: the vector router in the foreground, until it is stopped."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.options import HugepagesOption, MainCpuOption, MarchOption, VerboseOption, march_level
from wirespeed.ending_signals import leave_on_signals
from wirespeed.errors import FileFault
from wirespeed.later import Later

if TYPE_CHECKING:
    from wirespeed.router.startup import settings as startup_files
else:
    startup_files = Later("wirespeed.router.startup.settings")


def command(
    interface: Annotated[
        list[str] | None,
        typer.Option("-i", "--interface", metavar="NAME=SPEC", help="A port and its name; once per port."),
    ] = None,
    *,
    config: Annotated[
        Path | None,
        typer.Option("-c", "--config", metavar="FILE", help="VPP's startup.conf; options override it."),
    ] = None,
    cpu: Annotated[
        str,
        typer.Option(
            "--cpu", metavar="N[,N]", help="CPUs of the workers, e.g. 1 or 2,3 or 2-5. Default: the last one."
        ),
    ] = "",
    main_cpu: MainCpuOption = "",
    exec_file: Annotated[
        Path | None,
        typer.Option("-x", "--exec", metavar="FILE", help="File of commands to run before traffic starts."),
    ] = None,
    socket: Annotated[
        Path | None,
        typer.Option(
            "-s", "--socket", metavar="PATH", help="Control socket.", show_default="below /run or XDG_RUNTIME_DIR"
        ),
    ] = None,
    api_socket: Annotated[
        Path | None,
        typer.Option(
            "--api-socket", metavar="PATH", help="VPP's binary API.", show_default="api.sock beside the control socket"
        ),
    ] = None,
    no_api: Annotated[bool, typer.Option("--no-api", help="Disable the binary API.")] = False,
    print_api_dir: Annotated[
        bool, typer.Option("--print-api-dir", help="Print the folder of the API's *.api.json files and exit.")
    ] = False,
    max_routes: Annotated[
        int | None,
        typer.Option("--max-routes", metavar="N", help="Maximum IPv4 routes per table.", show_default="2097152"),
    ] = None,
    max_ip6_routes: Annotated[
        int | None,
        typer.Option("--max-ip6-routes", metavar="N", help="Maximum IPv6 routes per table.", show_default="1048576"),
    ] = None,
    max_neighbors: Annotated[
        int | None,
        typer.Option(
            "--max-neighbors",
            metavar="N",
            help="Maximum neighbours, including next hops of routes.",
            show_default="16384",
        ),
    ] = None,
    max_interface_neighbors: Annotated[
        int | None,
        typer.Option(
            "--max-interface-neighbors",
            metavar="N",
            help="Maximum neighbours learned on one interface.",
            show_default="half of --max-neighbors",
        ),
    ] = None,
    max_path_sets: Annotated[
        int | None,
        typer.Option(
            "--max-path-sets",
            metavar="N",
            help="Maximum sets of paths that routes share, in addition to those of neighbours.",
            show_default="65536",
        ),
    ] = None,
    flow_hash_seed: Annotated[
        int | None,
        typer.Option(
            "--flow-hash-seed",
            metavar="N",
            help="Seed of the flow hash, which selects one of several paths.",
            show_default="random",
        ),
    ] = None,
    poll: Annotated[
        Literal["paced", "eager"],
        typer.Option(
            "--poll",
            help="Polling of memif ports near the limit: paced waits up to 30 µs for larger vectors, eager never",
        ),
    ] = "paced",
    hugepages: HugepagesOption = "auto",
    march: MarchOption = "auto",
    verbose: VerboseOption = False,
) -> None:
    """Run the software router, with VPP's commands."""
    if print_api_dir:
        from wirespeed.vpp_api.json_files import api_directory  # noqa: PLC0415

        typer.echo(api_directory())
        return
    from wirespeed.cpus import settle_main  # noqa: PLC0415
    from wirespeed.router.process import run  # noqa: PLC0415 - --help needs none of it
    from wirespeed.router.protocol import default_api_socket, default_socket  # noqa: PLC0415
    from wirespeed.router.settings import router_settings  # noqa: PLC0415
    from wirespeed.router.startup.log import Log  # noqa: PLC0415
    from wirespeed.router.startup.requests import Startup  # noqa: PLC0415

    for option, path in (("--socket", socket), ("--api-socket", api_socket)):
        if path is not None and not path.parent.is_dir():
            raise FileFault(f"{option} {path}: there is no folder {path.parent}; make it, or give another path")
    startup = Startup() if config is None else startup_files.read_startup(config)
    settings = router_settings(
        interface or [],
        cpu,
        startup,
        max_routes=max_routes,
        max_ip6_routes=max_ip6_routes,
        max_neighbors=max_neighbors,
        max_interface_neighbors=max_interface_neighbors,
        max_path_sets=max_path_sets,
        flow_hash_seed=flow_hash_seed,
        polls_eagerly=poll == "eager",
    )
    settle_main(main_cpu or ("" if startup.main_cpu is None else str(startup.main_cpu)))
    control_socket = socket or startup.socket or default_socket()
    with leave_on_signals(), Log(startup.log) as log:
        if startup.notice:
            log.warn(startup.notice)
        run(
            settings,
            startup,
            control_socket,
            exec_file=exec_file or startup.exec_file,
            api_socket=None if no_api else api_socket or startup.api_socket or default_api_socket(control_socket),
            hugepages=hugepages if startup.hugepages or hugepages != "auto" else "never",
            march=march_level(march),
            verbose=verbose,
            announce=log.say,
            warn=log.warn,
        )
