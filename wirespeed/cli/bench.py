"""`wirespeed bench`: a bench file checked part by part, its schema, an example."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.verbs import refuse_other_options
from wirespeed.ending_signals import leave_on_signals

if TYPE_CHECKING:
    from wirespeed.bench.check import Finding
    from wirespeed.bench.model import Bench

OPTION_VERBS = {
    "tester": ("check",),
    "duration": ("check",),
    "force": ("check",),
    "name": ("serve",),
    "join": ("serve",),
    "listen": ("serve",),
    "port": ("serve",),
}
"""Verbs that take an option; the other options are for all of them."""
_LOAD_S = 3.0
_ADDRESS, _PORT = "127.0.0.1", 6379


def command(
    what: Annotated[
        Literal["check", "schema", "example", "serve"],
        typer.Argument(
            help="check FILE: prove each part; schema: JSON schema of the file; example: one with comments; "
            "serve [FILE|LAB]: let campaigns of other machines run on it, by Ray."
        ),
    ],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The bench file.")] = None,
    *,
    tester: Annotated[
        bool,
        typer.Option("--tester", help="Measure where the tester itself ends, by cables or a device in L2XC; keep it."),
    ] = False,
    duration: Annotated[
        float | None,
        typer.Option("--duration", metavar="S", help="Seconds of each load of --tester.", show_default=f"{_LOAD_S:g}"),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Take the ports from whoever holds them.")] = False,
    name: Annotated[
        str,
        typer.Option("--name", metavar="NAME", help="serve: what campaigns call it.", show_default="the file's name"),
    ] = "",
    join: Annotated[
        str, typer.Option("--join", metavar="HOST:PORT", help="serve: in this cluster; else as the head of a new one.")
    ] = "",
    listen: Annotated[
        str,
        typer.Option("--listen", metavar="IP", help="serve: where others reach this machine.", show_default=_ADDRESS),
    ] = "",
    port: Annotated[
        int | None,
        typer.Option("--port", metavar="N", help="serve: of the head of a new cluster.", show_default=str(_PORT)),
    ] = None,
) -> int:
    """Prove a bench part by part, a line each: tester, links, device, wires, neighbours, a packet through it each way.

    What fails says the next step. Exit code 0: all is well; 3: a part is not as the file says; 4: the tester or the
    device does not answer; 6: the file cannot be used.
    """
    from wirespeed.bench.file import example_text, read_bench, schema_text  # noqa: PLC0415 - a command starts fast
    from wirespeed.errors import UsageError  # noqa: PLC0415

    refuse_other_options(command, OPTION_VERBS, what, locals())
    if what == "serve":
        return _serve(file, name, join, listen or _ADDRESS, _PORT if port is None else port)
    if what != "check":
        if file is not None:
            raise UsageError(f"bench {what} takes no file")
        print(schema_text() if what == "schema" else example_text(), end="\n" if what == "schema" else "")
        return 0
    if file is None:
        raise UsageError("say which bench to check: wirespeed bench check FILE (`wirespeed bench example` prints one)")
    if duration is not None and not tester:
        raise UsageError("--duration goes with --tester: a check without it sends no load")
    bench = read_bench(file)
    with leave_on_signals():
        if tester:
            return _measure_tester(file, bench, _LOAD_S if duration is None else duration, force)
        from wirespeed.bench.check import Check  # noqa: PLC0415

        return Check(bench, str(file), _show, force).run()


def _serve(bench: Path | None, name: str, join: str, listen: str, port: int) -> int:
    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.suite.benches import place_of  # noqa: PLC0415
    from wirespeed.suite.serve import serve  # noqa: PLC0415

    if bench is None and join:
        raise UsageError("say which bench to serve: wirespeed bench serve FILE --join HOST:PORT")
    place = None if bench is None else place_of(str(bench), Path(), name or bench.stem)
    with stop_on_signals() as stop:
        serve(place, join, listen, port, lambda text: print(text, flush=True), stop)
    return 0


def _measure_tester(file: Path, bench: Bench, duration_s: float, force: bool) -> int:
    from wirespeed.bench.cables import cabled  # noqa: PLC0415
    from wirespeed.bench.ceiling import keep  # noqa: PLC0415
    from wirespeed.demo.ceiling_trials import measure  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415

    if not 0.3 <= duration_s <= 3600:
        raise UsageError(f"--duration {duration_s:g}: give seconds from 0.3 to 3600")
    with cabled(bench, force) as (client, line_bps):
        found = measure(client, bench.ports, duration_s, lambda text: print(text, flush=True), line_bps=line_bps)
    print(f"kept in {keep(file, found)}; results on this bench refer to it")
    return 0


def _show(finding: Finding) -> None:
    step = f"; next: {finding.next_step}" if finding.next_step else ""
    print(f"{finding.state:<5} {finding.part:<10} {finding.text}{step}", flush=True)
