"""`wirespeed report`: result files in, an interactive page or a table out."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from wirespeed.cli.options import DutNameOption, NameOption, reading
from wirespeed.errors import UsageError
from wirespeed.files import write_atomically
from wirespeed.pages.words import count, harmless
from wirespeed.units import parse_ratio

Format = Literal["html", "md", "csv", "json"]
_BY_SUFFIX: dict[str, Format] = {".md": "md", ".csv": "csv", ".json": "json"}


def _threshold(text: str) -> float:
    return parse_ratio(text, "--fail-threshold")


def command(
    results: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT.json...",
            help="Result files of any kind, inspections, files of trex-loadtest, or folders of them.",
        ),
    ],
    *,
    title: Annotated[
        str, typer.Option("-t", "--title", metavar="TEXT", help="Title of the page.")
    ] = "Loadtest results",
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="File to write, - for standard output; .md, .csv and .json are tables.",
            show_default="index.html; - for a table",
        ),
    ] = "",
    threshold: Annotated[
        float | None,
        typer.Option(
            "-f",
            "--fail-threshold",
            parser=reading(_threshold),
            metavar="RATIO",
            help="Loss ratio above which a sample fails, e.g. 0.001 or 0.1%.",
            show_default="that of each file",
        ),
    ] = None,
    scaler: Annotated[
        str,
        typer.Option("-y", "--yscaler", metavar="DIV:PREFIX", help="Unit of packet rates: the divisor and its prefix."),
    ] = "1000000:M",
    only_channels: Annotated[
        list[str] | None,
        typer.Option(
            "--only-channels",
            metavar="CHANNEL,...",
            help="Channels to draw: directions and sum, such as 0-1,sum, or graph.rb's numbers 0, 1, and 2 for the "
            "sum. Tables always show all.",
            show_default="each direction, not their sum",
        ),
    ] = None,
    output_format: Annotated[
        Format | None,
        typer.Option(
            "--format", help="Output format: the page, or only its table.", show_default="that of -o, or html"
        ),
    ] = None,
    layout: Annotated[
        Literal["list", "matrix", "nodes", "power"],
        typer.Option(
            "--layout",
            help="Table: a row per direction (list), loads by DUT and direction (matrix), cost per router node "
            "(nodes), power by load (power).",
        ),
    ] = "list",
    both: Annotated[
        Literal["each", "sum200", "sum100"],
        typer.Option(
            "--both", help="Matrix: bidirectional loads by direction, or as a sum where the line is 200 % or 100 %."
        ),
    ] = "each",
    row_label: Annotated[
        list[str] | None,
        typer.Option(
            "--row-label",
            metavar="LABEL=LOAD|TEMPLATE",
            help="Matrix: label of a load, such as '64b one flow=bench size=64', or of all, such as '{size}b {vm}'.",
        ),
    ] = None,
    charts: Annotated[
        str, typer.Option("--charts", metavar="URL", help="Markdown matrix: page that its cells link to.")
    ] = "",
    line: Annotated[
        str,
        typer.Option("--line", metavar="SPEED", help="Line rate for percentages, e.g. 1G. Default: the tester's."),
    ] = "",
    images: Annotated[
        Path | None,
        typer.Option(
            "--images", metavar="DIR", help="Also write each chart of the page to this folder, as PNG and SVG."
        ),
    ] = None,
    include_disturbed: Annotated[
        bool,
        typer.Option("--include-disturbed", help="Also judge disturbed samples, whose loss preemption explains."),
    ] = False,
    dut_name: DutNameOption = "",
    name: NameOption = None,
) -> None:
    """Turn result files into one interactive HTML page, or a table."""
    from wirespeed.compare.sides import files_of  # noqa: PLC0415 - a command starts fast
    from wirespeed.report.render import render  # noqa: PLC0415 - brings Jinja in
    from wirespeed.results.dut_names import parse_names  # noqa: PLC0415
    from wirespeed.results.journal import journal_path, unfinished  # noqa: PLC0415

    form: Format = _BY_SUFFIX.get(Path(output).suffix, "html") if output_format is None else output_format
    results = [file for path in results for file in files_of(path)]
    if images is not None and form != "html":
        raise UsageError(f"--images writes the charts of the page, and --format {form} has none: leave one out")
    report = render(
        results,
        title=title,
        date=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        threshold=threshold,
        scaler=scaler,
        only_channels=only_channels or (),
        output_format=form,
        layout=layout,
        both=both,
        row_labels=row_label or (),
        charts=charts,
        line=line,
        include_disturbed=include_disturbed,
        names=parse_names(dut_name, name or ()),
    )
    for path in unfinished(results):
        print(f"warning: {path} is not there yet: read from its journal, {journal_path(path).name}", file=sys.stderr)
    for remark in report.remarks:
        print(f"warning: {harmless(remark.sentence)}", file=sys.stderr)
    target = output or ("index.html" if form == "html" else "-")
    if target == "-":
        sys.stdout.write(report.text)
    else:
        write_atomically(Path(target), report.text, "report")
        print(f"report written to {target}", file=sys.stderr)
    if images is not None:
        from wirespeed.charts.images import write_images  # noqa: PLC0415

        written = write_images(report.charts, images)
        print(
            f"{count(len(written), 'picture')} of {count(len(report.charts), 'chart')} written to {images}",
            file=sys.stderr,
        )
