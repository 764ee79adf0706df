"""`wirespeed exporter`: counters of routers, generators, tests and DUTs for Prometheus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.cli.options import seconds
from wirespeed.ending_signals import stop_on_signals
from wirespeed.pages.words import count

Words = list[str] | None


def command(
    *,
    router: Annotated[
        Words, typer.Option("--router", metavar="[NAME=]SOCKET", help="A wirespeed router, by its control socket.")
    ] = None,
    stats: Annotated[
        Words,
        typer.Option("--stats", metavar="[NAME=]PATH", help="A VPP or wirespeed router, by its stats.sock."),
    ] = None,
    generator: Annotated[
        Words, typer.Option("--generator", metavar="[NAME=]HOST[:PORT]", help="A wirespeed or T-Rex generator.")
    ] = None,
    result: Annotated[
        Words, typer.Option("--result", metavar="[NAME=]FILE", help="A test, by its -o file; it need not exist yet.")
    ] = None,
    dut: Annotated[
        Words, typer.Option("--dut", metavar="[NAME=]TYPE:ACCESS", help="A DUT, e.g. linux:ssh://root@box.")
    ] = None,
    scrape: Annotated[
        Words, typer.Option("--scrape", metavar="[NAME=]URL", help="Another exporter; adds the label target.")
    ] = None,
    power: Annotated[
        Words, typer.Option("--power", metavar="[NAME=]METER", help="A power meter, e.g. rapl or shelly:HOST.")
    ] = None,
    bench: Annotated[
        list[Path] | None,
        typer.Option("--testbed", metavar="FILE", help="DUT, tester and power meter of a testbed file."),
    ] = None,
    listen: Annotated[
        str, typer.Option("--listen", metavar="HOST:PORT", help="Listen address of /metrics.")
    ] = "127.0.0.1:19482",
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout",
            parser=seconds,
            metavar="TIME",
            help="Time without an answer after which a target is down.",
            show_default="2s",
        ),
    ] = 2.0,
    nodes: Annotated[
        Literal["thread", "every", "sum", "none"],
        typer.Option(
            "--nodes", help="Node counters: by thread; by thread and also per interface; summed over threads; none."
        ),
    ] = "thread",
    vpp_names: Annotated[
        bool, typer.Option("--vpp-names", help="Also export the names of vpp_prometheus_export.")
    ] = False,
    auth_file: Annotated[
        Path | None, typer.Option("--auth-file", metavar="FILE", help="Require USER:PASSWORD of this file.")
    ] = None,
    tls_cert: Annotated[
        Path | None, typer.Option("--tls-cert", metavar="FILE", help="Serve HTTPS with this certificate.")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Key of the certificate.")] = None,
) -> int:
    """Serve the counters of routers, generators, tests and DUTs to Prometheus, until interrupted.

    Each target has its own thread. A scrape waits at most 0.05 s and serves the latest answers with their age. A
    target without an answer for --timeout has wirespeed_up 0.
    """
    from wirespeed.exporter.exposition import Targets, served  # noqa: PLC0415 - a command starts fast
    from wirespeed.exporter.options import TargetOptions, listening, targets_of  # noqa: PLC0415

    options = TargetOptions(
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
    where, targets = listening(listen, auth_file, tls_cert, tls_key), targets_of(options)
    with stop_on_signals() as stop, served(Targets(targets, timeout), where) as port:
        host = f"[{where.host}]" if ":" in where.host else where.host
        print(f"http{'s' if tls_cert else ''}://{host}:{port}/metrics: {count(len(targets), 'target')}", flush=True)
        stop.wait()
    return 0
