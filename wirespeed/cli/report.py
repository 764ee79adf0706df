"""`wirespeed report`: result files in, an interactive page or a table out."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.files import write_atomically


def command(
    results: Annotated[list[Path], typer.Argument(metavar="RESULT.json...", help="Ours, or those of trex-loadtest.")],
    *,
    title: Annotated[str, typer.Option("-t", "--title", help="Title of the page.")] = "Loadtest results",
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write, - for standard output.",
            show_default="index.html; - for a table",
        ),
    ] = "",
    threshold: Annotated[
        float,
        typer.Option("-f", "--fail-threshold", help="Loss ratio above which a sample failed, from 0.0001 to 1."),
    ] = 0.001,
    scaler: Annotated[
        str, typer.Option("-y", "--yscaler", metavar="DIV:PREFIX", help="Unit of packet rates.")
    ] = "1000000:M",
    only_channels: Annotated[
        list[str] | None,
        typer.Option(
            "--only-channels",
            metavar="CHANNEL,...",
            help="Channels to draw, such as 0-1 or 0-1,sum; tables always show all.",
            show_default="each direction, not their sum",
        ),
    ] = None,
    output_format: Annotated[
        Literal["html", "md", "csv", "json"], typer.Option("--format", help="The page, or its table alone.")
    ] = "html",
) -> None:
    """Turn result files into one interactive HTML page, or a table."""
    from wirespeed.report.render import render  # noqa: PLC0415 - brings plotly in

    report = render(
        results,
        title=title,
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        threshold=threshold,
        scaler=scaler,
        only_channels=only_channels or (),
        output_format=output_format,
    )
    for remark in report.remarks:
        print(f"warning: {remark}", file=sys.stderr)
    target = output or ("index.html" if output_format == "html" else "-")
    if target == "-":
        sys.stdout.write(report.text)
    else:
        write_atomically(Path(target), report.text, "report")
        print(f"report written to {target}", file=sys.stderr)
