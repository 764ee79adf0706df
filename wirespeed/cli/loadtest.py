"""`wirespeed loadtest`: warm up, ramp the load linearly, hold it; write a result file."""

from __future__ import annotations

import json
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from wirespeed.loadtest.result import Result


def _number(text: str) -> float:
    from wirespeed.errors import UsageError  # noqa: PLC0415

    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a number; durations and ratios are numbers such as 30 or 0.001") from None


def command(
    *,
    server: Annotated[
        str, typer.Option("-s", "--server", metavar="HOST[:PORT]", help="Generator to use, ours or a T-Rex.")
    ] = "127.0.0.1:4501",
    profile: Annotated[
        str, typer.Option("-p", "--profile", help="Built-in profile, or a T-Rex profile FILE.py.")
    ] = "imix",
    tunables: Annotated[
        str, typer.Option("-t", "--tunables", help="Tunables of the profile, as size=64,vm=var2.")
    ] = "",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="File for the result; - is standard output.")
    ] = "-",
    warmup_mult: Annotated[
        str,
        typer.Option("-wm", "--warmup-mult", "--warmup_mult", metavar="RATE", help="Load of the warm-up."),
    ] = "1kpps",
    warmup_duration: Annotated[
        float,
        typer.Option(
            "-wd", "--warmup-duration", "--warmup_duration", parser=_number, metavar="S", help="Seconds of warm-up."
        ),
    ] = 30.0,
    rampup_target: Annotated[
        str,
        typer.Option(
            "-rt",
            "--rampup-target",
            "--rampup_target",
            metavar="PERCENT|RATE",
            help="Load to ramp up to: percent of line rate, or a rate such as 5mpps.",
        ),
    ] = "100",
    rampup_duration: Annotated[
        float,
        typer.Option(
            "-rd", "--rampup-duration", "--rampup_duration", parser=_number, metavar="S", help="Seconds of ramp-up."
        ),
    ] = 600.0,
    hold_duration: Annotated[
        float,
        typer.Option(
            "-hd", "--hold-duration", "--hold_duration", parser=_number, metavar="S", help="Seconds at the target."
        ),
    ] = 30.0,
    unidirectional: Annotated[
        bool, typer.Option("-u", "--unidirectional", help="Send from port 0 to port 1 only.")
    ] = False,
    interval: Annotated[float, typer.Option("--interval", parser=_number, metavar="S", help="Seconds a sample.")] = 1.0,
    fail_threshold: Annotated[
        float,
        typer.Option(
            "-f",
            "--fail-threshold",
            parser=_number,
            metavar="RATIO",
            help="Share of lost packets above which a sample fails.",
        ),
    ] = 0.001,
    force: Annotated[
        bool, typer.Option("--force", help="Take the ports from whoever holds them; send without a link.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Show neither progress nor summary.")] = False,
) -> int:
    """Warm up, ramp the load linearly, hold it; write a result file.

    Progress goes to standard error. Ctrl-C stops the traffic, gives the ports back and keeps what was measured.
    """
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.errors import INTERRUPTED  # noqa: PLC0415
    from wirespeed.generator.client import GeneratorClient  # noqa: PLC0415
    from wirespeed.loadtest.live import summary, title_of, watcher  # noqa: PLC0415
    from wirespeed.loadtest.outcome import raise_for_outcome  # noqa: PLC0415
    from wirespeed.loadtest.plan import LoadPlan, check_plan, parse_target, parse_tunables  # noqa: PLC0415
    from wirespeed.loadtest.run import run_loadtest, streams_of  # noqa: PLC0415
    from wirespeed.units import parse_rate  # noqa: PLC0415

    plan = LoadPlan(
        profile=profile,
        tunables=parse_tunables(tunables),
        warmup_rate=parse_rate(warmup_mult),
        warmup_s=warmup_duration,
        ramp_target=parse_target(rampup_target),
        ramp_s=rampup_duration,
        hold_s=hold_duration,
        unidirectional=unidirectional,
        interval_s=interval,
        threshold=fail_threshold,
        force=force,
        name=profile if output == "-" else Path(output).stem,
        output_file=output,
    )
    check_plan(plan)
    path = None if output == "-" else Path(output)
    if path is not None:
        check_writable(path)
    streams = streams_of(plan)
    console = Console(stderr=True, soft_wrap=True)
    with GeneratorClient(server) as client:
        client.connect()
        with watcher(console, plan, title_of(plan), quiet) as view, _stop_on_signals() as stop:
            result = run_loadtest(plan, client, on_sample=view, stop=stop, streams=streams)
    where = _keep(result, path)
    if not quiet:
        for line in summary(result, where):
            console.out(line, highlight=False)
    raise_for_outcome(result)
    return INTERRUPTED if result.outcome["status"] == "interrupted" else 0


def check_writable(path: Path) -> None:
    """FileFault, before an hour of testing rather than after it, when no file can be made beside `path`."""
    from wirespeed.errors import FileFault  # noqa: PLC0415

    if path.is_dir():
        raise FileFault(f"output {path} is a directory; give the name of a file in it")
    if path.exists() and not path.is_file():  # the result is renamed into place, which would do away with a device
        raise FileFault(f"output {path} is no regular file; give another -o, or - for standard output")
    try:
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileFault(f"output {path} cannot be written: {path.parent}: {reason}; give another -o") from None


@contextmanager
def _stop_on_signals() -> Iterator[threading.Event]:
    """An event that the first SIGINT or SIGTERM sets; a second one interrupts at once, whatever is going on."""
    stop = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _keep(result: Result, path: Path | None) -> str | None:
    """Write the result; the place to name in the summary, if there is one."""
    from wirespeed.errors import FileFault  # noqa: PLC0415
    from wirespeed.loadtest.result import to_json, write_result  # noqa: PLC0415

    if not result.samples:
        return "no file: the test ended before its first sample"
    if path is None:
        json.dump(to_json(result), sys.stdout, allow_nan=False)
        print(flush=True)
        return None
    try:
        write_result(result, path)
    except FileFault as fault:
        spare = Path(tempfile.mkdtemp(prefix="wirespeed-")) / path.name
        write_result(result, spare)
        raise FileFault(f"{fault}; the result is kept in {spare}") from None
    return str(path)
