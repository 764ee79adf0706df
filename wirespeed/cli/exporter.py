"""`wirespeed exporter`: what routers, generators, tests and devices count, for Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.cli.options import seconds
from wirespeed.ending_signals import stop_on_signals

Words = list[str] | None


def command(
    *,
    router: Annotated[
        Words, typer.Option("--router", metavar="[NAME=]SOCKET", help="A wirespeed router, by its control socket.")
    ] = None,
    stats: Annotated[
        Words,
        typer.Option("--stats", metavar="[NAME=]PATH", help="A VPP by its stats.sock; a wirespeed router by its file."),
    ] = None,
    generator: Annotated[
        Words, typer.Option("--generator", metavar="[NAME=]HOST[:PORT]", help="A generator, wirespeed's or a T-Rex.")
    ] = None,
    result: Annotated[
        Words, typer.Option("--result", metavar="[NAME=]FILE", help="A test by its -o, there or not yet.")
    ] = None,
    dut: Annotated[
        Words, typer.Option("--dut", metavar="[NAME=]KIND:WAY", help="A device, as linux:ssh://root@box.")
    ] = None,
    scrape: Annotated[
        Words, typer.Option("--scrape", metavar="[NAME=]URL", help="Another exporter, with the target's label.")
    ] = None,
    power: Annotated[
        Words, typer.Option("--power", metavar="[NAME=]METER", help="A power meter, as rapl or shelly:HOST.")
    ] = None,
    bench: Annotated[
        list[Path] | None, typer.Option("--testbed", metavar="FILE", help="Device and tester of a bench.")
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Where to serve /metrics.")
    ] = "127.0.0.1:19482",
    timeout: Annotated[
        float,
        typer.Option("--timeout", parser=seconds, metavar="TIME", help="After it a silent target is down."),
    ] = 2.0,
    nodes: Annotated[
        Literal["thread", "every", "sum", "none"],
        typer.Option("--nodes", help="By thread; every one of many interfaces too; sums; none."),
    ] = "thread",
    vpp_names: Annotated[
        bool, typer.Option("--vpp-names", help="Also export the names of vpp_prometheus_export.")
    ] = False,
    auth_file: Annotated[
        Path | None, typer.Option("--auth-file", metavar="FILE", help="USER:PASSWORD that clients must know.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Serve HTTPS with this certificate.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key.")] = None,
) -> int:
    """Serve what any number of routers, generators, tests and devices count to Prometheus, until interrupted.

    A thread of its own reads each target. A scrape waits 0.05 s for all of them and serves what is there, with
    its age; a target without an answer for --timeout is down in wirespeed_up.
    """
    from wirespeed.exporter.exposition import Targets, served  # noqa: PLC0415 - a command starts fast
    from wirespeed.exporter.options import Given, listening, targets_of  # noqa: PLC0415

    given = Given(
        routers=router or (),
        segments=stats or (),
        generators=generator or (),
        results=result or (),
        devices=dut or (),
        urls=scrape or (),
        meters=power or (),
        benches=bench or (),
        nodes=nodes,
        vpp_names=vpp_names,
        timeout_s=timeout,
    )
    where, targets = listening(listen, auth_file, tls_cert, tls_key), targets_of(given)
    with stop_on_signals() as stop, served(Targets(targets, timeout), where) as port:
        host = f"[{where.host}]" if ":" in where.host else where.host
        print(f"http{'s' if tls_cert else ''}://{host}:{port}/metrics: {len(targets)} targets", flush=True)
        stop.wait()
    return 0
