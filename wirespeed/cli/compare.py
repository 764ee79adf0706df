"""`wirespeed compare`: results against results, with how sure that is; a series as plateaus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from wirespeed.errors import UsageError

if TYPE_CHECKING:
    from wirespeed.compare.comparison import Comparison
    from wirespeed.compare.figures import Subject

WORSE, UNCLEAR = 7, 8
"""Exit codes: something is worse; something cannot be told, where --strict asks for that."""


def command(
    what: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="A B | FILE...",
            help="Two result files or folders of results, each with any number of repeats; with --trend a series.",
        ),
    ] = None,
    *,
    within: Annotated[
        float, typer.Option("--within", metavar="PERCENT", help="What counts as no difference.", min=0.01, max=50)
    ] = 1.0,
    confidence: Annotated[
        float, typer.Option("--confidence", metavar="PERCENT", help="Of the intervals.", min=50, max=99.99)
    ] = 95.0,
    control: Annotated[
        str,
        typer.Option(
            "--control",
            metavar="LOAD",
            help="Tests with this in their load tell what the bench did; it is taken off the others.",
            show_default=False,
        ),
    ] = "",
    trend: Annotated[
        bool, typer.Option("--trend", help="Group a series, in the order given, into plateaus; name the steps.")
    ] = False,
    strict: Annotated[bool, typer.Option("--strict", help="End with 8 where a verdict cannot be told.")] = False,
    form: Annotated[Literal["text", "md", "csv", "json"], typer.Option("--format", help="How to print it.")] = "text",
) -> int:
    """Say for each test whether B is better than A, worse, the same, or how many more repeats it takes. Ends with 7
    where something is worse."""
    paths = what or []
    if trend:
        return _trend(paths)
    if len(paths) != 2:
        raise UsageError(f"give two results or folders of results to compare, not {len(paths)}; a series takes --trend")
    from wirespeed.compare.comparison import compare  # noqa: PLC0415 - a command starts fast
    from wirespeed.compare.sides import read_side  # noqa: PLC0415

    a, b = read_side(paths[0]), read_side(paths[1])
    compared = compare(a, b, within / 100, confidence / 100, control)
    _print(compared, form, within / 100, confidence / 100)
    if compared.count("worse"):
        return WORSE
    return UNCLEAR if strict and compared.count("cannot tell") else 0


def _print(compared: Comparison, form: str, within: float, confidence: float) -> None:
    from wirespeed.compare import text  # noqa: PLC0415

    if form != "text":
        told = {
            "md": lambda: text.markdown(compared, within),
            "csv": lambda: text.as_csv(compared),
            "json": lambda: text.as_json(compared, within, confidence),
        }[form]()
        print(told, end="")
        return
    from rich import box  # noqa: PLC0415
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    table = Table(*text.HEAD, box=box.SIMPLE_HEAD)
    for row in compared.rows:
        table.add_row(*text.cells(row, within))
    Console().print(table)
    if compared.control is not None:
        print(f"the control moved by {100 * compared.control:+.2f} %, which is taken off the others")


def _trend(paths: list[Path]) -> int:
    from wirespeed.compare.figures import figures  # noqa: PLC0415
    from wirespeed.compare.plateaus import plateaus  # noqa: PLC0415
    from wirespeed.compare.sides import files_of  # noqa: PLC0415
    from wirespeed.compare.text import trend_lines  # noqa: PLC0415
    from wirespeed.results.file import read_file  # noqa: PLC0415

    series: dict[Subject, list[tuple[str, float]]] = {}
    for file in [file for path in paths for file in files_of(path)]:
        for subject, value in figures(read_file(file)):
            if not value.irregular:
                series.setdefault(subject, []).append((file.stem, value.rate_pps))
    if not series:
        raise UsageError("give two or more results whose rates make a series")
    for subject, values in series.items():
        names, rates = [name for name, _ in values], [rate for _, rate in values]
        print(subject.title)
        for line in trend_lines(names, plateaus(rates)):
            print(f"  {line}")
    return 0
