"""`wirespeed web`: a running test in the browser, and results with their reports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirespeed.errors import FileFault, UsageError


def command(
    places: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE|FOLDER...]",
            help="Result files, which need not exist yet, or folders of them.",
            show_default="the current folder",
        ),
    ] = None,
    *,
    router: Annotated[
        list[str] | None,
        typer.Option("--router", metavar="[NAME=]SOCKET", help="Also show a wirespeed router, by its control socket."),
    ] = None,
    generator: Annotated[
        list[str] | None,
        typer.Option(
            "--generator", metavar="[NAME=]HOST[:PORT]", help="Also show a generator, wirespeed's or a T-Rex."
        ),
    ] = None,
    listen: Annotated[
        str,
        typer.Option("--listen", metavar="HOST:PORT", help="Listen address; one beyond this machine needs --token."),
    ] = "127.0.0.1:8480",
    token: Annotated[
        str,
        typer.Option(
            "--token",
            metavar="WORD",
            help="Access token that the URL must contain; `new` generates one.",
            show_default=False,
        ),
    ] = "",
    grace: Annotated[
        str | None,
        typer.Option("--grace", metavar="TIME", hidden=True, help="Time to stay after the end of standard input."),
    ] = None,
) -> int:
    """Show running tests as they grow, and all results with their reports.

    --router and --generator add pages with rates and cycles per packet, which are read while such a page is open.
    Read-only: no request changes anything.
    """
    from wirespeed.exporter.options import TargetOptions, targets_of  # noqa: PLC0415 - a command starts fast
    from wirespeed.units import parse_duration  # noqa: PLC0415
    from wirespeed.web.app import Where  # noqa: PLC0415
    from wirespeed.web.options import checked  # noqa: PLC0415
    from wirespeed.web.serving import address_of, bound, serve  # noqa: PLC0415

    given = TargetOptions(routers=router or (), generators=generator or (), nodes="sum")
    targets = targets_of(given) if router or generator else []
    chosen = places or [Path()]
    for place in chosen:
        if not place.is_dir() and not place.parent.is_dir():
            raise FileFault(f"{place} is in a folder that does not exist; give a result file or a folder of them")
        if not place.is_dir() and place.suffix != ".json":
            raise UsageError(f"{place} is neither a result file (*.json) nor a folder")
    where: Where = checked(listen, token)
    with bound(where) as made:
        print(f"{address_of(made, where)} (live: {address_of(made, where)}live); Ctrl-C ends it", flush=True)
        serve(chosen, where, made, targets, None if grace is None else parse_duration(grace))
    return 0
