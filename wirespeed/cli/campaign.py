"""`wirespeed campaign`: a matrix of tests from a file, resumed where it ended; its schema; workers for it."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirespeed.cli.options import reading
from wirespeed.corpus.place import own_corpus
from wirespeed.units import parse_duration, parse_minutes

if TYPE_CHECKING:
    from wirespeed.campaign.benches import TestbedPlace

OPTIONAL_VALUES = {"--archive": own_corpus()}

_FIRST_WAIT_S = 10.0
"""Seconds; a served testbed answers sooner, and a mistyped name is refused soon."""

HELP = """Run a campaign: testbeds × DUTs × tests × repeats, each cell once.

A test case that is done never runs again: after a kill or Ctrl-C the same command continues."""

_WAIT_S = 600.0

CELLS, TESTBEDS, RESULTS = "What runs", "Where", "Results"
"""Groups of options in help."""


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The campaign file.")],
    *,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            rich_help_panel=CELLS,
            help="Print the test cases, their commands and duration; run nothing.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            rich_help_panel=RESULTS,
            metavar="DIR",
            help="The campaign's folder.",
            show_default="wirespeed-campaign/NAME",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", rich_help_panel=CELLS, help="Run more than 500 test cases.")] = False,
    budget: Annotated[
        float | None,
        typer.Option(
            "--budget",
            rich_help_panel=CELLS,
            parser=reading(parse_minutes),
            metavar="TIME",
            help="Start no test case that would end later than this; minutes, or with a unit, e.g. 8h.",
        ),
    ] = None,
    testbeds: Annotated[
        str,
        typer.Option(
            "--testbeds",
            rich_help_panel=TESTBEDS,
            metavar="NAME,...",
            help="Testbeds in place of the file's; several need `wirespeed campaign worker` to serve each.",
            show_default=False,
        ),
    ] = "",
    ray: Annotated[
        str,
        typer.Option(
            "--ray",
            rich_help_panel=TESTBEDS,
            metavar="HOST:PORT",
            help="Ray cluster that serves --testbeds.",
            show_default="this machine's",
        ),
    ] = "",
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            rich_help_panel=TESTBEDS,
            parser=reading(parse_duration),
            metavar="TIME",
            help="Time to wait for an unreachable testbed of --testbeds.",
            show_default="600s",
        ),
    ] = _WAIT_S,
    ab: Annotated[
        bool,
        typer.Option(
            "--ab",
            rich_help_panel=CELLS,
            help="Compare the file's two DUTs in pairs until each test's verdict is clear, at most `repeats` times.",
        ),
    ] = False,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown",
            rich_help_panel=RESULTS,
            metavar="FILE",
            help="With --ab: also write the table of verdicts to this file.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", rich_help_panel=RESULTS, help="With --ab: exit with code 8 if a verdict is inconclusive."
        ),
    ] = False,
    corpus: Annotated[
        str,
        typer.Option(
            "--archive",
            rich_help_panel=RESULTS,
            metavar="[URL]",
            help="Also store each result in this archive, tagged with the campaign's name. Without URL: your own.",
            show_default=False,
        ),
    ] = "",
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed", rich_help_panel=CELLS, help="Run test cases again that have failed all their tries."
        ),
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", rich_help_panel=RESULTS, help="Report errors only.")] = False,
) -> int:
    """Run the test cases of a campaign that are not done.

    Results are in DIR/results. Ctrl-C stops after the running test case; a second Ctrl-C abandons it. After a kill, the
    same command continues. Exit codes: 0 all test cases are done, or the budget is used up; 2 an argument or matrix
    that cannot be used; 3 a manual step comes first; 4 a testbed is unreachable; 5 test cases have failed; 6 a file;
    7 --ab: the second DUT is worse; 8 --ab --strict: a verdict is inconclusive; 130 interrupted.
    """
    import sys  # noqa: PLC0415 - a command starts fast

    from wirespeed.campaign.benches import place_of  # noqa: PLC0415
    from wirespeed.campaign.campaign import Asked, dry, folder_of, run_campaign  # noqa: PLC0415
    from wirespeed.campaign.loading import load  # noqa: PLC0415
    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415
    from wirespeed.measurement.output import check_writable  # noqa: PLC0415

    def say(text: str) -> None:
        if not quiet:
            print(text, file=sys.stderr, flush=True)

    if wait < 0 or (budget or 0) < 0:
        raise UsageError("--wait and --budget cannot be negative; give 0 or more")
    for option, is_given in (("--markdown", markdown is not None), ("--strict", strict)):
        if is_given and not ab:
            raise UsageError(f"{option} goes with --ab; give both, or leave {option} out")
    if markdown is not None:
        check_writable(markdown, "--markdown")
    names = [name for name in testbeds.split(",") if name]
    with ExitStack() as stack:
        served: list[TestbedPlace] = []
        if ray or len(names) > 1:
            from wirespeed.campaign import ray_runner  # noqa: PLC0415

            if not names:
                raise UsageError("--ray goes with --testbeds NAME,...: name the testbeds to use")
            stack.enter_context(ray_runner.cluster(ray))
            served = ray_runner.served(names, min(wait, _FIRST_WAIT_S))
        elif names:
            served = [place_of(names[0], file.parent)]
        loaded = load(file, served, yes=yes or dry_run)
        by_ray = bool(ray or len(names) > 1)
        directory = out or folder_of(loaded.campaign.name)
        asked = Asked(directory, budget, retry_failed, by_ray, wait, ab, markdown, strict)
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


def worker(
    testbed: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE|LAB]", help="Testbed to serve. Default: none; only start the head of a cluster."),
    ] = None,
    *,
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="Name of the testbed in campaigns.", show_default="the file's name"
        ),
    ] = "",
    join: Annotated[
        str,
        typer.Option(
            "--join", metavar="HOST:PORT", help="Join this cluster.", show_default="become the head of a new one"
        ),
    ] = "",
    listen: Annotated[
        str, typer.Option("--listen", metavar="IP", help="Address of this machine that other machines use.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="N", help="Port of the head of a new cluster.")] = 6379,
) -> int:
    """Serve a testbed to campaigns on other machines, by Ray."""
    from wirespeed.campaign.benches import place_of  # noqa: PLC0415 - a command starts fast
    from wirespeed.campaign.serve import serve  # noqa: PLC0415
    from wirespeed.ending_signals import stop_on_signals  # noqa: PLC0415
    from wirespeed.errors import UsageError  # noqa: PLC0415

    if testbed is None and join:
        raise UsageError("name the testbed to serve: wirespeed campaign worker FILE --join HOST:PORT")
    place = None if testbed is None else place_of(str(testbed), Path(), name or testbed.stem)
    with stop_on_signals() as stop:
        serve(place, join, listen, port, lambda text: print(text, flush=True), stop)
    return 0


VERBS = {"run": run, "schema": schema, "worker": worker}
