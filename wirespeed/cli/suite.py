"""`wirespeed suite`: a campaign of many tests from a file, resumed where it ended; its schema."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.cli.verbs import refuse_other_options
from wirespeed.corpus.place import own_corpus

if TYPE_CHECKING:
    from wirespeed.suite.benches import Place

OPTIONAL_VALUES = {"--corpus": own_corpus()}

_FIRST_WAIT_S = 10.0
"""A bench that is there answers sooner; a name that was mistyped is to be told soon."""

OPTION_VERBS = dict.fromkeys(
    (
        "dry_run",
        "out",
        "yes",
        "budget",
        "benches",
        "ray",
        "wait",
        "ab",
        "markdown",
        "corpus",
        "retry_failed",
        "quiet",
    ),
    ("run",),
)
"""Verbs that take an option."""
_WAIT_S = 600.0


def command(
    what: Annotated[
        Literal["run", "schema"],
        typer.Argument(help="run FILE: what of the campaign is not done; schema: JSON schema of the file."),
    ],
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The campaign file.")] = None,
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
        typer.Option("--budget", metavar="MINUTES", help="Begin no cell that would end later.", min=0.0),
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
        float | None,
        typer.Option(
            "--wait",
            metavar="S",
            help="Wait so long for a bench of --benches that is away.",
            min=0.0,
            show_default=f"{_WAIT_S:g}",
        ),
    ] = None,
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
    """Run a campaign: benches × devices × tests × repeats, each cell once; what is done is never run again.

    Results lie in DIR/results. Ctrl-C lets the running cell end and stops; a second Ctrl-C abandons it. After a kill,
    the same command goes on. Exit codes: 0 all is done, or the budget is; 2 a word or a matrix that cannot be used;
    3 a step by hand is to be done first; 4 a bench is away; 5 cells have failed; 6 a file; 7 --ab: the second device
    is worse; 130 interrupted.
    """
    import sys  # noqa: PLC0415 - a command starts fast

    from wirespeed.errors import UsageError  # noqa: PLC0415

    refuse_other_options(command, OPTION_VERBS, what, locals())
    if what == "schema":
        from wirespeed.suite.file import schema_text  # noqa: PLC0415

        if file is not None:
            raise UsageError("suite schema takes no file")
        print(schema_text())
        return 0
    if file is None:
        raise UsageError("say which campaign to run: wirespeed suite run FILE (docs/campaigns.md shows one)")

    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.suite.benches import place_of  # noqa: PLC0415
    from wirespeed.suite.campaign import Asked, dry, run_campaign  # noqa: PLC0415
    from wirespeed.suite.loading import load  # noqa: PLC0415

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    wait_s = _WAIT_S if wait is None else wait
    names = [name for name in benches.split(",") if name]
    with ExitStack() as stack:
        served: list[Place] = []
        if ray or len(names) > 1:
            from wirespeed.suite import ray_runner  # noqa: PLC0415

            if not names:
                raise UsageError("--ray is of --benches; name those that are to be used")
            stack.enter_context(ray_runner.cluster(ray))
            served = ray_runner.served(names, min(wait_s, _FIRST_WAIT_S))
        elif names:
            served = [place_of(names[0], file.parent)]
        loaded = load(file, served, yes=yes or dry_run)
        by_ray = bool(ray or len(names) > 1)
        directory = out or Path("wirespeed-suite") / loaded.campaign.name
        asked = Asked(directory, budget, retry_failed, by_ray, wait_s, ab, markdown)
        if dry_run:
            for line in dry(loaded, asked):
                print(line)
            return 0
        if corpus:
            from wirespeed.suite.landing import landing  # noqa: PLC0415

            asked = replace(asked, land=stack.enter_context(landing(corpus, loaded.campaign.name, say)))
        stop = stack.enter_context(stop_on_signals())
        return run_campaign(loaded, asked, say, stop)
