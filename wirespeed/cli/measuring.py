"""What commands that measure do alike: the head of their plans, and how they end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from wirespeed.bench.options import Given, Options
from wirespeed.cli.options import directions_of
from wirespeed.errors import INTERRUPTED, UsageError
from wirespeed.results.output import STDOUT, Output
from wirespeed.units import parse_speed

if TYPE_CHECKING:
    from rich.console import Console

    from wirespeed.measurement.options import MeasurementOptions
    from wirespeed.results.channel import Channel
    from wirespeed.results.loadtest import Result
    from wirespeed.results.search import SearchResult
    from wirespeed.results.verdict import Verdict


class PlanHead(TypedDict):
    """Fields of every plan (measure/plan.py)."""

    directions: tuple[Channel, ...]
    line_bps: float | None
    verify: bool
    force: bool
    name: str
    output_file: str


def given_of(options: MeasurementOptions, **more: str) -> Given:
    """The options that a bench may have too; `more` are values in place of the options' own, or that they lack."""
    return Given(**{name: getattr(options, name) for name in Given.__annotations__ if hasattr(options, name)} | more)


def plan_head(at: Options, options: MeasurementOptions, name: str = "") -> PlanHead:
    """UsageError for options that contradict each other. A result is called as its file is, else `name`, else as its
    profile."""
    return PlanHead(
        directions=directions_of(at.ports, options.direction, at.wires, options.unidirectional),
        line_bps=parse_speed(at.line) if at.line else None,
        verify=options.verify,
        force=options.force,
        name=(name or at.profile) if options.output == STDOUT else Path(options.output).stem,
        output_file=options.output,
    )


@contextmanager
def keeping(out: Output) -> Iterator[None]:
    """Whatever ends the block: what was measured in it is not lost, and standard error says where it is."""
    try:
        yield
    except BaseException:
        kept = out.abandon()
        if kept is not None:
            print(f"wirespeed: {kept}", file=sys.stderr)
        raise


@contextmanager
def shown(output: str, *, web: bool) -> Iterator[None]:
    """With `web` the test that writes `output` is in the browser while the block runs. UsageError where there is no
    file to follow."""
    if not web:
        yield
        return
    if output == STDOUT:
        raise UsageError("--web follows the file of -o, and - is none; give a file")
    from wirespeed.web.serving import served_beside  # noqa: PLC0415 - a server, needed for this alone

    with served_beside([Path(output)]) as address:
        print(f"live: {address}live", file=sys.stderr, flush=True)
        yield


def say(console: Console, lines: Iterable[str], quiet: bool) -> None:
    """The summary of a result, unless nothing is to be said."""
    for text in [] if quiet else lines:
        console.out(text, highlight=False)


def conclude(
    console: Console, result: Result | SearchResult, lines: Callable[[Verdict], Iterable[str]], quiet: bool
) -> None:
    """The summary that `lines` makes of the verdict, and whether the run is worth something; unless nothing is to be
    said."""
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415 - needed at the end alone
    from wirespeed.explain.worth import worth_line  # noqa: PLC0415
    from wirespeed.results.lab import lab_cpus  # noqa: PLC0415

    if not quiet:
        verdict = verdict_of(result)
        say(console, [*lines(verdict), worth_line([verdict], lab_cpus(result.lab))], quiet)


def exit_code(status: str) -> int:
    """Of a measurement that did not fail."""
    return INTERRUPTED if status == "interrupted" else 0
