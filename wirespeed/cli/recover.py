"""`--recover FILE` of the commands that measure: the result of a test that did not end, from its journal."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console


def recover(file: Path, output: str, console: Console, quiet: bool) -> int:
    """Make the result file and say what it holds."""
    from wirespeed.cli.measuring import say  # noqa: PLC0415 - a command starts fast
    from wirespeed.explain.verdicts import verdict_of  # noqa: PLC0415
    from wirespeed.loadtest import live as loadtest  # noqa: PLC0415
    from wirespeed.results import file as results  # noqa: PLC0415
    from wirespeed.results.rfc2544 import Rfc2544Result  # noqa: PLC0415
    from wirespeed.results.search import SearchResult  # noqa: PLC0415
    from wirespeed.results.soak import SoakResult  # noqa: PLC0415
    from wirespeed.rfc2544 import live as rfc2544  # noqa: PLC0415
    from wirespeed.search import live as search  # noqa: PLC0415
    from wirespeed.soak import live as soak  # noqa: PLC0415

    found, path = results.recover(file, output)
    name = str(path)
    verdict = verdict_of(found)
    match found:
        case SearchResult():
            lines = search.summary(found, verdict, name)
        case Rfc2544Result():
            lines = rfc2544.summary(found, verdict, name)
        case SoakResult():
            lines = soak.summary(found, verdict, name)
        case _:
            lines = loadtest.summary(found, verdict, name)
    say(console, lines, quiet)
    return 0
