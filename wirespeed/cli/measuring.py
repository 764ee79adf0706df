"""The driver of commands that measure: signals, lab, journal, live page, summary and exit code."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wirespeed.errors import INTERRUPTED, UsageError
from wirespeed.measurement.output import STDOUT, Output
from wirespeed.results.journal import journal_path

if TYPE_CHECKING:
    from rich.console import Console

    from wirespeed.measurement.measurement import Measurement
    from wirespeed.measurement.options import MeasurementOptions
    from wirespeed.results.measurement import MeasurementResult
    from wirespeed.results.verdict import Verdict


def measure(kind: str, options: MeasurementOptions[Any]) -> int:
    """Run a measurement of `kind`, or recover one; the exit code."""
    from rich.console import Console  # noqa: PLC0415 - a command starts fast

    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.measurement.driver import measured  # noqa: PLC0415
    from wirespeed.measurement.registry import kind_of  # noqa: PLC0415

    console = Console(stderr=True, soft_wrap=True)
    if options.recover is not None:
        return _recover(options.recover, options.output or STDOUT, console, options.quiet)
    if (text := kind_of(kind).instead(options, _judged)) is not None:
        print(text, end="")
        return 0
    is_named_here = not options.output and getattr(options, "resume", None) is None
    if is_named_here:
        options = replace(options, output=_own_file(kind, options) if sys.stdout.isatty() else STDOUT)
    measurement = kind_of(kind)(options)
    output = measurement.options.output
    out = Output(output)
    with stop_on_signals() as stop, keeping(out), shown(output, options.web_grace_s if options.web else None):
        result, where = measured(measurement, out, measurement.watcher(console), stop, _judged, heeds_signals=True)
    if not options.quiet:
        _say(console, _last_lines(measurement, result, where))
    elif is_named_here and where is not None:
        _say(console, [f"result in {where}"])
    measurement.raise_for(result)
    return INTERRUPTED if result.ending.status == "interrupted" else 0


def _own_file(kind: str, options: MeasurementOptions[Any]) -> str:
    """The name of a new file in the current folder, after the test."""
    profile = getattr(options, "profile", "") or ""
    words = (kind, Path(profile).stem, *options.tunables.split(","))
    stem = "-".join(re.sub(r"[^\w.=]+", "_", word) for word in words if word)
    names = (f"{stem}{f'-{number}' if number > 1 else ''}.json" for number in itertools.count(1))
    return next(name for name in names if not Path(name).exists() and not journal_path(Path(name)).exists())


def _recover(file: Path, output: str, console: Console, quiet: bool) -> int:
    """Make the result file of an unfinished test from its journal, and print its summary."""
    from wirespeed.measurement.file import recover  # noqa: PLC0415 - as above
    from wirespeed.measurement.registry import kind_of  # noqa: PLC0415

    result, path = recover(file, output)
    if not quiet:
        _say(console, kind_of(result.kind).summary(result, _judged(result), str(path)))
    return 0


def _last_lines(measurement: Measurement[Any, Any], result: MeasurementResult, where: str | None) -> Iterator[str]:
    """The summary, and what the run is worth if its result is of one load."""
    from wirespeed.explain.worth import worth_line  # noqa: PLC0415 - needed at the end alone

    verdict = _judged(result)
    yield from measurement.summary(result, verdict, where)
    if result.is_of_one_load:
        yield worth_line([verdict], result.lab.cpu_count)


def _judged(result: MeasurementResult) -> Verdict:
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415 - as above

    return verdict_of(result)


@contextmanager
def keeping(out: Output) -> Iterator[None]:
    """If an error ends the block, the measured data is kept, and standard error names its file."""
    try:
        yield
    except BaseException:
        kept = out.abandon()
        if kept is not None:
            print(f"wirespeed: {kept}", file=sys.stderr)
        raise


@contextmanager
def shown(output: str, grace_s: float | None) -> Iterator[None]:
    """Serve the test that writes `output` to the browser while the block runs; an open page stays for `grace_s`
    afterwards. None serves nothing. UsageError if the output is not a file."""
    if grace_s is None:
        yield
        return
    if output == STDOUT:
        raise UsageError("--web reads the file of -o, and - is standard output; give a file")
    from wirespeed.web.serving import served_beside  # noqa: PLC0415 - a server, needed for this alone

    with served_beside([Path(output)], grace_s) as address:
        print(f"live: {address}live", file=sys.stderr, flush=True)
        yield


def _say(console: Console, lines: Iterable[str]) -> None:
    for text in lines:
        console.out(text, highlight=False)
