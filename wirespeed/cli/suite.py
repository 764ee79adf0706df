"""`wirespeed suite`: a campaign of many tests from a file, resumed where it ended; its schema."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import reading
from wirespeed.corpus.place import own_corpus
from wirespeed.units import parse_duration

if TYPE_CHECKING:
    from wirespeed.campaign.benches import Place

OPTIONAL_VALUES = {"--corpus": own_corpus()}

_FIRST_WAIT_S = 10.0
"""A bench that is there answers sooner; a name that was mistyped is to be told soon."""

HELP = """Run a campaign: testbeds × devices × tests × repeats, each cell once.

A cell that is done never runs again: after a kill or Ctrl-C the same command goes on."""

_WAIT_S = 600.0


def _minutes(text: str) -> float:
    """Minutes of `90`, or of a duration with a unit."""
    return parse_duration(text if text[-1:].isalpha() else f"{text}m") / 60


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The campaign file.")],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would run, its commands and how long it takes; run nothing.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="The campaign's folder.", show_default="wirespeed-suite/NAME"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Run more than 500 cells.")] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            parser=reading(_minutes),
            metavar="TIME",
            help="Begin no cell that would end later; minutes, or with a unit, as 8h.",
        ),
    ] = None,
    benches: Annotated[
        str,
        typer.Option(
            "--benches",
            metavar="NAME,...",
            help="Run on these in place of the file's; several at once, served by `wirespeed bench serve`.",
            show_default=False,
        ),
    ] = "",
    ray: Annotated[
        str,
        typer.Option("--ray", metavar="HOST:PORT", help="The cluster of --benches.", show_default="this machine's"),
    ] = "",
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            parser=reading(parse_duration),
            metavar="TIME",
            help="Wait so long for a bench of --benches that is away.",
        ),
    ] = _WAIT_S,
    ab: Annotated[
        bool,
        typer.Option(
            "--ab", help="Compare the file's two devices in pairs until each test's verdict is clear; repeats at most."
        ),
    ] = False,
    markdown: Annotated[
        Path | None, typer.Option("--markdown", metavar="FILE", help="Of --ab: the table of verdicts goes here too.")
    ] = None,
    corpus: Annotated[
        str,
        typer.Option(
            "--corpus",
            metavar="[URL]",
            help="Results land in this corpus too, tagged with the campaign's name; without URL in the user's own.",
            show_default=False,
        ),
    ] = "",
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Give cells that have failed all their tries again.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Say only what went wrong.")] = False,
) -> int:
    """Run what of a campaign is not done.

    Results lie in DIR/results. Ctrl-C lets the running cell end and stops; a second Ctrl-C abandons it. After a kill,
    the same command goes on. Exit codes: 0 all is done, or the budget is; 2 a word or a matrix that cannot be used;
    3 a step by hand is to be done first; 4 a bench is away; 5 cells have failed; 6 a file; 7 --ab: the second device
    is worse; 130 interrupted.
    """
    import sys  # noqa: PLC0415 - a command starts fast

    from wirespeed.campaign.benches import place_of  # noqa: PLC0415
    from wirespeed.campaign.campaign import Asked, dry, run_campaign  # noqa: PLC0415
    from wirespeed.campaign.loading import load  # noqa: PLC0415
    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    if wait < 0 or (budget or 0) < 0:
        raise UsageError("--wait and --budget are from 0 up")
    names = [name for name in benches.split(",") if name]
    with ExitStack() as stack:
        served: list[Place] = []
        if ray or len(names) > 1:
            from wirespeed.campaign import ray_runner  # noqa: PLC0415

            if not names:
                raise UsageError("--ray is of --benches; name those that are to be used")
            stack.enter_context(ray_runner.cluster(ray))
            served = ray_runner.served(names, min(wait, _FIRST_WAIT_S))
        elif names:
            served = [place_of(names[0], file.parent)]
        loaded = load(file, served, yes=yes or dry_run)
        by_ray = bool(ray or len(names) > 1)
        directory = out or Path("wirespeed-suite") / loaded.campaign.name
        asked = Asked(directory, budget, retry_failed, by_ray, wait, ab, markdown)
        if dry_run:
            for line in dry(loaded, asked):
                print(line)
            return 0
        if corpus:
            from wirespeed.campaign.landing import landing  # noqa: PLC0415

            asked = replace(asked, land=stack.enter_context(landing(corpus, loaded.campaign.name, say)))
        stop = stack.enter_context(stop_on_signals())
        return run_campaign(loaded, asked, say, stop)


def schema() -> None:
    """Print the JSON schema of a campaign file."""
    from wirespeed.campaign.file import schema_text  # noqa: PLC0415 - a command starts fast

    print(schema_text())


VERBS = {"run": run, "schema": schema}
